import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { chmod, lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import type { IncludedFile } from '../../domain/workspace/workspace.js';
import { type BytePath, displayPath, toBytes, toFsPath } from '../../git/byte-path.js';
import { hashListing } from '../../git/files/listing-hash.js';
import type { Git, GitOptions } from '../../git/git.js';
import { copyEntry } from '../files/copy-entry.js';
import { type IncludedTree, includeDirectory } from './include-directory.js';

export interface IncludeRequest {
  /** The user's checkout; it is only read. */
  readonly repositoryRoot: string;
  /** The git directory of that checkout. */
  readonly commonDir: string;
  /** Patterns in the syntax of .gitignore in addition to `.worktreeinclude`; they override the file's. */
  readonly patterns: readonly string[];
  /** Ignore `.worktreeinclude`. */
  readonly patternsOnly?: boolean | undefined;
  /** The workspace. */
  readonly destination: string;
}

export interface IncludeResult {
  readonly files: IncludedFile[];
  readonly warnings: string[];
}

/**
 * Copies ignored files such as `.env`, and whole directories such as `node_modules`: those that match the patterns and
 * that git ignores in the user's checkout. Never overwrites, and never follows a symbolic link on either side.
 */
export async function includeFiles(git: Git, request: IncludeRequest): Promise<IncludeResult> {
  const files: IncludedFile[] = [];
  const warnings: string[] = [];
  for (const path of await listIncluded(git, request)) {
    const { brought, problems } = await includePath(request, path);
    files.push(...brought);
    warnings.push(...problems.map(({ path, problem }) => `${displayPath(path)} was not copied: ${problem}`));
  }
  return { files, warnings };
}

/**
 * Untracked files that match a pattern and that git ignores. Only git knows all of its rules, so git decides. A directory
 * that matches a pattern is copied whole when git ignores it as a whole too; otherwise its files are checked one by one.
 */
export async function listIncluded(
  git: Git,
  request: Omit<IncludeRequest, 'destination'>,
): Promise<BytePath[]> {
  const excludes = await patternArguments(request);
  if (excludes.length === 0) return [];
  const place = { gitDir: request.commonDir, workTree: request.repositoryRoot };
  const list = (...options: string[]) =>
    git.records(['ls-files', '--others', '--ignored', ...options, ...excludes, '-z'], place);
  const brief = await list('--directory');
  const ignored = new Set(await chooseIgnored(git, place, brief));
  const isDecided = brief.every(path => !path.endsWith('/') || ignored.has(path));
  return isDecided ? [...ignored] : chooseIgnored(git, place, await list());
}

async function chooseIgnored(
  git: Git,
  place: GitOptions,
  candidates: readonly BytePath[],
): Promise<BytePath[]> {
  if (candidates.length === 0) return [];
  // check-ignore refuses the literal pathspecs that are on for every other command, and `./` keeps a name that begins
  // with `:` from being taken for pathspec magic; wildcards mean nothing to it. With a `/` at its end a directory would
  // match patterns for what is in it, such as `/data/*`.
  const names = candidates.map(path => `./${path.replace(/\/$/, '')}`);
  const stdin = toBytes(names.map(name => `${name}\0`).join(''));
  const options = { ...place, stdin, answers: [0, 1], env: { GIT_LITERAL_PATHSPECS: '0' } };
  const ignored = new Set(await git.records(['check-ignore', '--stdin', '-z'], options));
  return candidates.filter((_, at) => ignored.has(names[at] as string));
}

async function patternArguments(request: Omit<IncludeRequest, 'destination'>): Promise<string[]> {
  const file = join(request.repositoryRoot, '.worktreeinclude');
  const info = request.patternsOnly ? undefined : await stat(file).catch(() => undefined);
  const fromFile = info?.isFile() ? [`--exclude-from=${file}`] : [];
  const own = request.patterns.filter(pattern => pattern.trim() !== '');
  return [...fromFile, ...own.map(pattern => `--exclude=${pattern}`)];
}

interface IncludedEntry {
  readonly brought: readonly IncludedFile[];
  readonly problems: IncludedTree['problems'];
}

async function includePath(request: IncludeRequest, path: BytePath): Promise<IncludedEntry> {
  const problem = await prepareParents(request, path);
  if (problem) return refuse(path, problem);
  return path.endsWith('/') ? includeWholeDirectory(request, path) : includeFile(request, path);
}

const refuse = (path: BytePath, problem: string): IncludedEntry => ({
  brought: [],
  problems: [{ path, problem }],
});

async function includeFile(request: IncludeRequest, path: BytePath): Promise<IncludedEntry> {
  const source = toFsPath(request.repositoryRoot, path);
  const info = await lstat(source).catch(ignoreMissing);
  if (!info) return refuse(path, 'it was deleted during the copy');
  const outcome = await copyEntry(source, info, toFsPath(request.destination, path));
  if (!outcome.copied) return refuse(path, outcome.reason);
  // Individual files are mostly secrets, so other users of this machine must not read them.
  if (info.isFile()) await chmod(toFsPath(request.destination, path), info.mode & 0o700);
  return { brought: [await describeFile(request, path)], problems: [] };
}

/** Above this many files a directory is recorded as a whole: no file is read for it, and the record stays small. */
const MOST_RECORDED = 200;

/** File times move in steps of up to 10 ms (a jiffy). */
const STEP_MS = 20;

/** Only a directory that was copied completely is recorded as a whole: in an existing one, other files may be work. */
async function includeWholeDirectory(request: IncludeRequest, path: BytePath): Promise<IncludedEntry> {
  const directory = path.slice(0, -1);
  const isNew = !(await lstat(toFsPath(request.destination, directory)).catch(ignoreMissing));
  const { files, problems } = await includeDirectory(request, directory);
  if (files.length > MOST_RECORDED && isNew) {
    const sha256 = await hashListing(request.destination, directory);
    // From here on every change gets a later time than those in the listing.
    await delay(STEP_MS);
    return { brought: [{ path, sha256 }], problems };
  }
  const brought: IncludedFile[] = [];
  for (const file of [...files].sort()) brought.push(await describeFile(request, file));
  return { brought, problems };
}

const describeFile = async (request: IncludeRequest, path: BytePath): Promise<IncludedFile> => ({
  path,
  sha256: await hashEntry(toFsPath(request.destination, path)),
});

/** Creates the parent directories of `path` in the workspace; each must be a real directory on both sides. */
async function prepareParents(request: IncludeRequest, path: BytePath): Promise<string | undefined> {
  for (const parent of parentsOf(path)) {
    const source = await lstat(toFsPath(request.repositoryRoot, parent)).catch(ignoreMissing);
    if (!source?.isDirectory()) return `${displayPath(parent)} is not a directory in the repository`;
    if (!(await makeDirectoryLike(toFsPath(request.destination, parent), source))) {
      return `${displayPath(parent)} is not a directory in the workspace`;
    }
  }
  return undefined;
}

function parentsOf(path: BytePath): BytePath[] {
  const parent = dirname(path);
  return parent === '.' ? [] : [...parentsOf(parent), parent];
}

async function makeDirectoryLike(path: Buffer, like: Stats): Promise<boolean> {
  try {
    await mkdir(path, { mode: like.mode & 0o777 });
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return (await lstat(path)).isDirectory();
  }
}

/** Hash of a file's content or a symbolic link's target. */
async function hashEntry(path: Buffer): Promise<string> {
  const hash = createHash('sha256');
  const info = await lstat(path);
  if (info.isSymbolicLink()) return hash.update(await readlink(path, 'buffer')).digest('hex');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
