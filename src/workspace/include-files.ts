import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, ignoreMissing } from '../domain/error.js';
import type { IncludedFile } from '../domain/workspace.js';
import { type BytePath, displayPath, toBytes, toFsPath } from '../git/byte-path.js';
import type { Git, GitOptions } from '../git/git.js';
import { hashListing } from '../git/work-tree/listing.js';
import { copyEntry } from './copy-entry.js';
import { type IncludedTree, includeDirectory } from './include-directory.js';

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
 * Brings ignored files such as `.env` along, and whole directories such as `node_modules`: those that the patterns name
 * and that git ignores in the user's checkout. Never overwrites, and never goes through a symbolic link on either side.
 */
export async function includeFiles(git: Git, request: IncludeRequest): Promise<IncludeResult> {
  const files: IncludedFile[] = [];
  const warnings: string[] = [];
  for (const path of await listIncluded(git, request)) {
    const { brought, problems } = await bringAlong(request, path);
    files.push(...brought);
    warnings.push(
      ...problems.map(({ path, problem }) => `${displayPath(path)} was not brought along: ${problem}`),
    );
  }
  return { files, warnings };
}

/**
 * Untracked, named by a pattern, and ignored by git. Only git knows all of its rules, so it is git that is asked. A
 * directory that a pattern names stands for all that is in it when git ignores it as a whole, too; otherwise its files
 * are looked at one by one.
 */
async function listIncluded(git: Git, request: IncludeRequest): Promise<BytePath[]> {
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

async function patternArguments(request: IncludeRequest): Promise<string[]> {
  const file = join(request.repositoryRoot, '.worktreeinclude');
  const info = await stat(file).catch(() => undefined);
  const fromFile = info?.isFile() ? [`--exclude-from=${file}`] : [];
  const own = request.patterns.filter(pattern => pattern.trim() !== '');
  return [...fromFile, ...own.map(pattern => `--exclude=${pattern}`)];
}

interface Brought {
  readonly brought: readonly IncludedFile[];
  readonly problems: IncludedTree['problems'];
}

async function bringAlong(request: IncludeRequest, path: BytePath): Promise<Brought> {
  const problem = await prepareParents(request, path);
  if (problem) return refuse(path, problem);
  return path.endsWith('/') ? bringDirectory(request, path) : bringFile(request, path);
}

const refuse = (path: BytePath, problem: string): Brought => ({
  brought: [],
  problems: [{ path, problem }],
});

async function bringFile(request: IncludeRequest, path: BytePath): Promise<Brought> {
  const source = toFsPath(request.repositoryRoot, path);
  const info = await lstat(source).catch(ignoreMissing);
  if (!info) return refuse(path, 'it vanished meanwhile');
  const outcome = await copyEntry(source, info, toFsPath(request.destination, path));
  if (!outcome.copied) return refuse(path, outcome.reason);
  return { brought: [await describeFile(request, path)], problems: [] };
}

/** Beyond this many files a directory is recorded as one: no file is read for it, and the record stays small. */
const MOST_RECORDED = 200;

/** File times move in steps of up to 10 ms (a jiffy). */
const STEP_MS = 20;

/** Only what came whole is recorded as one: where something else lay already, nobody knows whose the rest is. */
async function bringDirectory(request: IncludeRequest, path: BytePath): Promise<Brought> {
  const directory = path.slice(0, -1);
  const isNew = !(await lstat(toFsPath(request.destination, directory)).catch(ignoreMissing));
  const { files, problems } = await includeDirectory(request, directory);
  if (files.length > MOST_RECORDED && isNew) {
    const sha256 = await hashListing(request.destination, directory);
    // From here on every change has another time than those in the listing.
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
