import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error.js';

export interface ConfigText {
  /** Where it really is: configuration files are often links to where people keep them. */
  readonly file: string;
  /** Undefined when there is none. */
  readonly text: string | undefined;
}

/** A repository's file must not lead out of the repository: what is there would be somebody's who did not write it. */
export async function readConfig(file: string, within: string | undefined): Promise<ConfigText> {
  const real = (await realpath(file).catch(ignoreMissing)) ?? (await realPlace(file));
  const root = within === undefined ? undefined : await realpath(within);
  if (root !== undefined && !real.startsWith(`${root}/`))
    throw carrelError('INSTALL_REFUSED', { file, problem: `it leads out of the repository, to ${real}` });
  return { file: real, text: await readFile(real, 'utf8').catch(ignoreMissing) };
}

/** Of a file that is not there yet: the first directory above that is decides. */
async function realPlace(file: string): Promise<string> {
  const above = dirname(file);
  if (above === file) return file;
  const real = (await realpath(above).catch(ignoreMissing)) ?? (await realPlace(above));
  return join(real, basename(file));
}

/** Replaces a file at once, or removes it when there is nothing left in it. Gives where it is kept as it was before. */
export async function writeConfig(
  { file, text: before }: ConfigText,
  after: string | undefined,
  backupDirectory: string,
): Promise<string | null> {
  if ((await readFile(file, 'utf8').catch(ignoreMissing)) !== before)
    throw carrelError('INSTALL_REFUSED', { file, problem: 'it was changed by somebody else just now' });
  const backup = before === undefined ? null : await keepBefore(file, before, backupDirectory);
  if (after === undefined) await rm(file);
  else await replace(file, after);
  return backup;
}

/** They may hold secrets of the user's. */
async function keepBefore(file: string, text: string, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const backup = join(directory, `${Date.now()}-${randomBytes(3).toString('hex')}-${basename(file)}`);
  await writeFile(backup, text, { mode: 0o600, flag: 'wx' });
  return backup;
}

async function replace(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const mode = (await stat(file).catch(ignoreMissing))?.mode ?? 0o644;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await chmod(draft, mode & 0o777);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
