import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { SystemProgram } from './system-program.js';

/**
 * Identifies this machine across reboots; looked up once. The system's id must not be disclosed (machine-id(5)), so it
 * is hashed.
 */
export function createMachineId(readId: () => string): () => string {
  let known: string | undefined;
  return () => (known ??= hash(`carrel\0${readId()}`));
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/**
 * Linux. Includes the host name, because machines created from one image often have the same id, and containers often
 * have none. A renamed machine counts as another one after its next boot.
 */
export const readMachineId = (): string => `${readSystemId()}\0${hostname()}`;

function readSystemId(): string {
  for (const file of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    try {
      return readFileSync(file, 'latin1').trim();
    } catch {
      // Try the next file.
    }
  }
  return '';
}

/** macOS, whose host name changes with the network, so that it is the last resort; and FreeBSD. */
export function readHardwareId(run: SystemProgram): string {
  const read = (program: string, args: readonly string[]): string => {
    try {
      const { status, stdout } = run(program, args);
      return status === 0 ? stdout : '';
    } catch {
      return '';
    }
  };
  const [, id] =
    /"IOPlatformUUID" = "([^"]+)"/.exec(read('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'])) ?? [];
  return id ?? (read('sysctl', ['-n', 'kern.hostuuid']).trim() || hostname());
}
