import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type CarrelError, carrelError, errnoOf, ignoreMissing } from '../../domain/error/error.js';

export interface ConfigText {
  /** The real path: configuration files are often links. */
  readonly file: string;
  /** Undefined when there is none. */
  readonly text: string | undefined;
  readonly isLink: boolean;
  /** The file is read-only: it must not be replaced by another file either. */
  readonly isReadOnly: boolean;
}

/** A repository's file must not lead outside the repository: the file there may belong to someone else. */
export async function readConfig(file: string, within: string | undefined): Promise<ConfigText> {
  try {
    const found = await realpath(file).catch(ignoreMissing);
    const real = found ?? (await realPlace(file));
    const root = within === undefined ? undefined : await realpath(within);
    if (root !== undefined && !real.startsWith(`${root}/`))
      throw refusal(file, `it leads outside the repository, to ${real}`);
    const isLink = (await lstat(file).catch(ignoreMissing))?.isSymbolicLink() ?? false;
    if (isLink && found === undefined) throw refusal(file, 'it is a broken link');
    const mode = (await stat(real).catch(ignoreMissing))?.mode ?? ANYBODY_WRITES;
    return { file: real, text: await readText(real), isLink, isReadOnly: (mode & ANYBODY_WRITES) === 0 };
  } catch (error) {
    throw describeFailure(file, error);
  }
}

const ANYBODY_WRITES = 0o222;

const refusal = (file: string, problem: string, cause?: unknown): CarrelError =>
  carrelError('INSTALL_REFUSED', { file, problem }, cause);

/** A refusal of the file system is not an internal error. */
const describeFailure = (file: string, error: unknown): unknown =>
  (error as NodeJS.ErrnoException).syscall === undefined
    ? error
    : refusal(file, `it can't be read or written (${errnoOf(error)})`, error);

async function readText(file: string): Promise<string | undefined> {
  const bytes = await readFile(file).catch(ignoreMissing);
  if (bytes && !isUtf8(bytes)) throw refusal(file, 'it is not in UTF-8');
  return bytes?.toString('utf8');
}

/** For a missing file the first existing parent directory decides. */
async function realPlace(file: string): Promise<string> {
  const above = dirname(file);
  if (above === file) return file;
  const real = (await realpath(above).catch(ignoreMissing)) ?? (await realPlace(above));
  return join(real, basename(file));
}

/** Replaces a file atomically, or removes it when nothing is left in it. Returns the path of the backup. */
export async function writeConfig(
  { file, text: before }: ConfigText,
  after: string | undefined,
  backupDirectory: string,
): Promise<string | null> {
  try {
    if ((await readText(file)) !== before) throw refusal(file, 'another process changed it in the meantime');
    const backup = before === undefined ? null : await keepBefore(file, before, backupDirectory);
    if (after === undefined) await rm(file);
    else await replace(file, after);
    return backup;
  } catch (error) {
    throw describeFailure(file, error);
  }
}

/** They may contain secrets. */
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
    // Never more permissive than the file that it replaces, not even for a moment.
    await writeFile(draft, text, { flag: 'wx', mode: mode === undefined ? 0o666 : 0o600 });
    if (mode !== undefined) await chmod(draft, mode & 0o777);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
