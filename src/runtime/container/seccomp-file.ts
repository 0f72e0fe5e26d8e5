import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { ociSeccompProfile } from '../seccomp/oci-profile.js';
import type { EngineName } from './engine/engine.js';
import { putFile } from './lifecycle/container-record.js';

export interface SeccompFileOptions {
  readonly directory: string;
  readonly architecture: string;
  readonly engine: EngineName;
}

/** The file with the seccomp profile in the engines' format; its content is checked on every call. */
export async function ensureSeccompFile(
  { directory, architecture, engine }: SeccompFileOptions,
  choice: { readonly nested: boolean },
): Promise<string> {
  const text = JSON.stringify(ociSeccompProfile(architecture, choice, engine));
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const file = join(directory, `seccomp-${hash}.profile`);
  const found = await readFile(file, 'utf8').catch(ignoreMissing);
  if (found !== text) await putFile(file, text);
  return file;
}
