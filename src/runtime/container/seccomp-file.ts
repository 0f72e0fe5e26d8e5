import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../domain/error.js';
import { ociSeccompProfile } from '../seccomp/oci-profile.js';
import { replaceFile } from './container-record.js';
import type { EngineName } from './engine.js';

export interface SeccompFileOptions {
  readonly directory: string;
  readonly architecture: string;
  readonly engine: EngineName;
  readonly unique: () => string;
}

/** The file with the seccomp profile, as engines take it; its content is what it should be whenever it is asked for. */
export async function ensureSeccompFile(
  { directory, architecture, engine, unique }: SeccompFileOptions,
  choice: { readonly nested: boolean },
): Promise<string> {
  const text = JSON.stringify(ociSeccompProfile(architecture, choice, engine));
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const file = join(directory, `seccomp-${hash}.profile`);
  const found = await readFile(file, 'utf8').catch(ignoreMissing);
  if (found !== text) await replaceFile(file, text, unique());
  return file;
}
