import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type CarrelError, carrelError, errnoOf, ignoreMissing } from '../../domain/error.js';

export interface ConfigText {
  /** Where it really is: configuration files are often links to where people keep them. */
  readonly file: string;
  /** Undefined when there is none. */
  readonly text: string | undefined;
  readonly isLink: boolean;
  /** Nobody may write it: whoever could put another file in its place is not to do so. */
  readonly isReadOnly: boolean;
}

/** A repository's file must not lead out of the repository: what is there would be somebody's who did not write it. */
export async function readConfig(file: string, within: string | undefined): Promise<ConfigText> {
  try {
    const found = await realpath(file).catch(ignoreMissing);
    const real = found ?? (await realPlace(file));
    const root = within === undefined ? undefined : await realpath(within);
    if (root !== undefined && !real.startsWith(`${root}/`))
      throw refusal(file, `it leads out of the repository, to ${real}`);
    const isLink = (await lstat(file).catch(ignoreMissing))?.isSymbolicLink() ?? false;
    if (isLink && found === undefined) throw refusal(file, 'it is a link to nothing');
    const mode = (await stat(real).catch(ignoreMissing))?.mode ?? ANYBODY_WRITES;
    return { file: real, text: await readText(real), isLink, isReadOnly: (mode & ANYBODY_WRITES) === 0 };
  } catch (error) {
    throw describeFailure(file, error);
  }
}

const ANYBODY_WRITES = 0o222;

const refusal = (file: string, problem: string, cause?: unknown): CarrelError =>
  carrelError('INSTALL_REFUSED', { file, problem }, cause);

/** What the file system does not let us do is no fault of ours. */
const describeFailure = (file: string, error: unknown): unknown =>
  (error as NodeJS.ErrnoException).syscall === undefined
    ? error
    : refusal(file, `it can't be read or written (${errnoOf(error)})`, error);

async function readText(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(ignoreMissing);
  if (bytes && !isUtf8(bytes)) throw refusal(file, 'it is not in UTF-8');
  return bytes?.toString('utf8');
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
  try {
    if ((await readText(file)) !== before) throw refusal(file, 'it was changed by somebody else just now');
    const backup = before === undefined ? null : await keepBefore(file, before, backupDirectory);
    if (after === undefined) await rm(file);
    else await replace(file, after);
    return backup;
  } catch (error) {
    throw describeFailure(file, error);
  }
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
  const mode = (await stat(file).catch(ignoreMissing))?.mode;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    // Never more open than what it replaces, not for a moment.
    await writeFile(draft, text, { flag: 'wx', mode: mode === undefined ? 0o666 : 0o600 });
    if (mode !== undefined) await chmod(draft, mode & 0o777);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
