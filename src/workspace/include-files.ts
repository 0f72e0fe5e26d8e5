import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../domain/error.js';
import type { IncludedFile } from '../domain/workspace.js';
import { type BytePath, displayPath, toFsPath } from '../git/byte-path.js';
import type { Git } from '../git/git.js';
import { copyEntry } from './copy-entry.js';

export interface IncludeRequest {
  /** The user's checkout; it is only read. */
  readonly repositoryRoot: string;
  /** The git directory of that checkout. */
  readonly commonDir: string;
  /** Patterns in the syntax of .gitignore beside those in `.worktreeinclude`; they win over the file's. */
  readonly patterns: readonly string[];
  /** The workspace. */
  readonly destination: string;
}

export interface IncludeResult {
  readonly files: IncludedFile[];
  readonly warnings: string[];
}

/**
 * Brings ignored files such as `.env` along: those that the patterns name and that git ignores in the user's checkout.
 * Never overwrites, and never goes through a symbolic link on either side.
 */
export async function includeFiles(git: Git, request: IncludeRequest): Promise<IncludeResult> {
  const files: IncludedFile[] = [];
  const warnings: string[] = [];
  for (const path of await listIncluded(git, request)) {
    const problem = await bringAlong(request, path);
    if (problem === undefined)
      files.push({ path, sha256: await hashEntry(toFsPath(request.destination, path)) });
    else warnings.push(`${displayPath(path)} was not brought along: ${problem}`);
  }
  return { files, warnings };
}

/** Untracked, named by a pattern, and ignored by git. Only git knows all of its rules, so it is git that is asked. */
async function listIncluded(git: Git, request: IncludeRequest): Promise<BytePath[]> {
  const excludes = await patternArguments(request);
  if (excludes.length === 0) return [];
  const place = { gitDir: request.commonDir, workTree: request.repositoryRoot };
  const candidates = await git.records(['ls-files', '--others', '--ignored', ...excludes, '-z'], place);
  if (candidates.length === 0) return [];
  // check-ignore refuses the literal pathspecs that are on for every other command, and `./` keeps a name that begins
  // with `:` from being taken for pathspec magic; wildcards mean nothing to it.
  const stdin = Buffer.from(candidates.map(path => `./${path}\0`).join(''), 'latin1');
  const options = { ...place, stdin, answers: [0, 1], env: { GIT_LITERAL_PATHSPECS: '0' } };
  const ignored = await git.records(['check-ignore', '--stdin', '-z'], options);
  return ignored.map(path => path.slice('./'.length));
}

async function patternArguments(request: IncludeRequest): Promise<string[]> {
  const file = join(request.repositoryRoot, '.worktreeinclude');
  const info = await stat(file).catch(() => undefined);
  const fromFile = info?.isFile() ? [`--exclude-from=${file}`] : [];
  const own = request.patterns.filter(pattern => pattern.trim() !== '');
  return [...fromFile, ...own.map(pattern => `--exclude=${pattern}`)];
}

/** Undefined when it was copied, otherwise why not. */
async function bringAlong(request: IncludeRequest, path: BytePath): Promise<string | undefined> {
  // git lists a repository inside the checkout as one directory and does not look into it.
  if (path.endsWith('/')) return 'it is a repository of its own';
  const problem = await prepareParents(request, path);
  if (problem) return problem;
  const source = toFsPath(request.repositoryRoot, path);
  const info = await lstat(source).catch(ignoreMissing);
  if (!info) return 'it vanished meanwhile';
  const outcome = await copyEntry(source, info, toFsPath(request.destination, path));
  return outcome.copied ? undefined : outcome.reason;
}

/** Makes the directories above `path` in the workspace; each must be a real directory on both sides. */
async function prepareParents(request: IncludeRequest, path: BytePath): Promise<string | undefined> {
  for (const parent of parentsOf(path)) {
    const source = await lstat(toFsPath(request.repositoryRoot, parent)).catch(ignoreMissing);
    if (!source?.isDirectory()) return `${displayPath(parent)} is not a directory of the repository`;
    if (!(await makeDirectory(toFsPath(request.destination, parent), source))) {
      return `${displayPath(parent)} is not a directory of the workspace`;
    }
  }
  return undefined;
}

function parentsOf(path: BytePath): BytePath[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [...parentsOf(parent), parent];
}

async function makeDirectory(path: Buffer, like: Stats): Promise<boolean> {
  try {
    await mkdir(path, { mode: like.mode & 0o777 });
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return (await lstat(path)).isDirectory();
  }
}

/** Of a file's content; of a symbolic link's target. */
async function hashEntry(path: Buffer): Promise<string> {
  const hash = createHash('sha256');
  const info = await lstat(path);
  if (info.isSymbolicLink()) return hash.update(await readlink(path, 'buffer')).digest('hex');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function ignoreMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error;
}
