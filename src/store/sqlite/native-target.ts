import { closeSync, openSync, readSync } from 'node:fs';

// Stands in for `@neon-rs/load` and `detect-libc` where libsql is bundled (scripts/build.mjs). Those have Node write a
// diagnostic report of the whole process to learn which C library it runs on, 6 to 20 ms of every command.

export const GLIBC = 'glibc';
export const MUSL = 'musl';

/** Which of libsql's native packages fits this process: `@libsql/<target>`. */
export function currentTarget(): string {
  const { platform, arch } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const isMusl = familySync() === MUSL;
  if (arch === 'arm') return isMusl ? 'linux-arm-musleabihf' : 'linux-arm-gnueabihf';
  return `linux-${arch}-${isMusl ? 'musl' : 'gnu'}`;
}

/** The C library of this process; null on systems where there is no choice. */
export function familySync(): typeof GLIBC | typeof MUSL | null {
  if (process.platform !== 'linux') return null;
  return readHead(process.execPath).includes('/ld-musl-') ? MUSL : GLIBC;
}

/** The path of the dynamic loader, which is part of the C library, is near the start of an ELF program. */
const HEAD_BYTES = 4096;

function readHead(file: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    return head.subarray(0, readSync(descriptor, head));
  } finally {
    closeSync(descriptor);
  }
}
