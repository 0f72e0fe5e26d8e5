import { readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { createAuthority } from './authority.js';
import type { HeldKey } from './held-key.js';
import type { KeyGateOptions } from './key-gate.js';
import { readTrusted, trustVariables } from './trusted-certificates.js';

/** What one command needs for keys that stay outside. */
export interface OpenKeys {
  /** For the proxy. */
  readonly gate: KeyGateOptions | undefined;
  /** By which programs inside trust the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface OpenKeysRequest {
  readonly held: readonly HeldKey[];
  readonly caller: Readonly<Record<string, string>>;
  /** For the certificates, and where it is seen inside. */
  readonly file: string;
  readonly seenAt: string;
  readonly now: number;
}

export const NO_KEYS: OpenKeys = { gate: undefined, environment: {}, close: async () => undefined };

export async function openKeys({ held, caller, file, seenAt, now }: OpenKeysRequest): Promise<OpenKeys> {
  if (held.length === 0) return NO_KEYS;
  const authority = createAuthority(now);
  const trusted = readTrusted(caller);
  await removeOldFiles(dirname(file), now);
  // It is not a secret, and the user inside a container may have another number.
  await writeFile(file, trusted + authority.certificate, { mode: 0o644 });
  return {
    gate: { held, authority, trusted },
    environment: trustVariables(seenAt),
    close: () => unlink(file).catch(ignoreMissing),
  };
}

/** No command runs for longer than the certificates are good for. */
const OLD_MS = 31 * 24 * 60 * 60_000;

/** Deletes files left by killed processes. */
async function removeOldFiles(directory: string, now: number): Promise<void> {
  const names = (await readdir(directory).catch(ignoreMissing)) ?? [];
  for (const name of names.filter(each => /^(\.carrel-)?op_[a-z0-9]+\.pem$/i.test(each))) {
    const found = await stat(join(directory, name)).catch(ignoreMissing);
    if (found && now - found.mtimeMs > OLD_MS) await unlink(join(directory, name)).catch(ignoreMissing);
  }
}
