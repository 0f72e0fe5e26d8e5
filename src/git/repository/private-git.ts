import { constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { toBytePath } from '../byte-path.js';

/**
 * A private git directory for one work tree: refs, stash, index, configuration and hooks are separate, and the objects are
 * borrowed from the repository. Changes in it do not affect the repository.
 */
export interface PrivateGit {
  readonly gitDir: string;
  readonly workTree: string;
}

export interface PrivateGitRequest extends PrivateGit {
  /** The repository that objects and configuration are borrowed from. */
  readonly commonDir: string;
  /** The commit of the detached HEAD. */
  readonly commit: string;
}

/**
 * Written by hand, as gitrepository-layout(5) describes it: `git init` and its configuration calls take 30 ms, this takes
 * 1 ms, without a turn of the event loop, which takes as long again on a busy machine.
 * The repository's configuration is included, for filters, line endings, identity and remotes; what would make it
 * the repository's own work tree is overridden below. Neither directory needs to exist.
 */
export async function writePrivateGit(request: PrivateGitRequest): Promise<void> {
  writeGitDirectory(request);
  writeLink(request);
}

/** The git directory alone. */
export function writeGitDirectory(request: PrivateGitRequest): void {
  const { gitDir, commonDir } = request;
  for (const name of ['objects/info', 'refs/heads', 'info'])
    mkdirSync(join(gitDir, name), { recursive: true });
  for (const [name, text] of Object.entries(writtenFiles(request))) writeFileSync(join(gitDir, name), text);
  for (const name of BORROWED_FILES) {
    const text = readIfThere(join(commonDir, name));
    if (text !== undefined) writeFileSync(join(gitDir, name), text, 'latin1');
  }
}

/** The file `.git` of the work tree, which git follows to the git directory. */
export function writeLink({ gitDir, workTree }: PrivateGit): void {
  mkdirSync(workTree, { recursive: true });
  writeFileSync(join(workTree, '.git'), linkTo(gitDir));
}

export const linkTo = (gitDir: string): string => `gitdir: ${gitDir}\n`;

/**
 * The content of every file of a private git directory before any use, one character per byte; the index
 * is not among them.
 */
export async function describePrivateGit(request: PrivateGitRequest): Promise<Map<string, string>> {
  const borrowed = BORROWED_FILES.map(name => [name, readIfThere(join(request.commonDir, name))] as const);
  const there = borrowed.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  const written = Object.entries(writtenFiles(request));
  return new Map([...written.map(([name, text]) => [name, toBytePath(text)] as const), ...there]);
}

/**
 * After its repository was moved: objects and configuration are borrowed from the new path. A file that differs from what
 * was written is left alone: the agent may have put anything there.
 */
export async function relinkPrivateGit(request: PrivateGitRequest, formerCommonDir: string): Promise<void> {
  const former = writtenFiles({ ...request, commonDir: formerCommonDir });
  for (const [name, text] of Object.entries(writtenFiles(request))) {
    const file = join(request.gitDir, name);
    const isInPlace = (await realpath(dirname(file)).catch(ignoreMissing)) === dirname(file);
    if (!isInPlace || readIfThere(file) !== toBytePath(former[name] as string)) continue;
    const handle = await open(file, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW);
    await handle.writeFile(text).finally(() => handle.close());
  }
}

/** Copied and not included: git looks for them in its own directory only. Without `shallow` the history has no end. */
const BORROWED_FILES = [join('info', 'exclude'), join('info', 'attributes'), 'shallow'];

const writtenFiles = ({ commonDir, commit }: PrivateGitRequest): Record<string, string> => ({
  HEAD: `${commit}\n`,
  config: describeConfig(commonDir, commit),
  [join('objects', 'info', 'alternates')]: `${join(commonDir, 'objects')}\n`,
});

/** git looks for the format in the file itself and not in those that it includes. */
function describeConfig(commonDir: string, commit: string): string {
  const isSha256 = commit.length === 64;
  return [
    '[core]',
    `\trepositoryFormatVersion = ${isSha256 ? 1 : 0}`,
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    '[include]',
    `\tpath = ${quote(join(commonDir, 'config'))}`,
    '[core]',
    '\tbare = false',
    '\tlogAllRefUpdates = true',
    '[gc]',
    '\tauto = 0',
    '[maintenance]',
    '\tauto = false',
    '',
  ].join('\n');
}

const quote = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&')}"`;

/** One character per byte. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    return ignoreMissing(error);
  }
}
