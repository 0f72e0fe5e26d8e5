import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../domain/error.js';
import { toBytePath } from './byte-path.js';

/**
 * A git directory of its own for one work tree: refs, stash, index, configuration and hooks are nobody else's, and the
 * objects are borrowed from the repository. Whatever is done in it, the repository does not notice.
 */
export interface PrivateGit {
  readonly gitDir: string;
  readonly workTree: string;
}

export interface PrivateGitRequest extends PrivateGit {
  /** The repository that objects and configuration are borrowed from. */
  readonly commonDir: string;
  /** What HEAD stands at, detached. */
  readonly commit: string;
}

/**
 * Written by hand, as gitrepository-layout(5) describes it: `git init` and its configuration calls take 30 ms, this takes
 * one. The repository's configuration is included, for filters, line endings, identity and remotes; what would make it
 * the repository's own work tree is overridden below. Neither directory needs to exist.
 */
export async function writePrivateGit(request: PrivateGitRequest): Promise<void> {
  const { gitDir, workTree, commonDir } = request;
  await mkdir(join(gitDir, 'objects', 'info'), { recursive: true });
  await Promise.all([
    mkdir(join(gitDir, 'refs', 'heads'), { recursive: true }),
    mkdir(join(gitDir, 'info'), { recursive: true }),
    mkdir(workTree, { recursive: true }),
  ]);
  await Promise.all([
    ...Object.entries(writtenFiles(request)).map(([name, text]) => writeFile(join(gitDir, name), text)),
    ...BORROWED_FILES.map(name => copyIfThere(join(commonDir, name), join(gitDir, name))),
    writeFile(join(workTree, '.git'), linkTo(gitDir)),
  ]);
}

export const linkTo = (gitDir: string): string => `gitdir: ${gitDir}\n`;

/**
 * The content of every file of a private git directory when nothing was done in it, one character per byte; the index
 * is not among them.
 */
export async function describePrivateGit(request: PrivateGitRequest): Promise<Map<string, string>> {
  const borrowed = await Promise.all(
    BORROWED_FILES.map(async name => [name, await readIfThere(join(request.commonDir, name))] as const),
  );
  const there = borrowed.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  const written = Object.entries(writtenFiles(request));
  return new Map([...written.map(([name, text]) => [name, toBytePath(text)] as const), ...there]);
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

async function copyIfThere(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch(ignoreMissing);
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'latin1').catch(ignoreMissing);
}
