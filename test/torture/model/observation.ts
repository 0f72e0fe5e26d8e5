import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { gitEnv } from '../../helpers/repository.js';
import { USER_SECRET } from '../machine/user-checkout.js';

/** What a workspace is to its user and to git. */
export interface Observation {
  /** `mode id` of everything in it, by name; names are byte strings, and the id is the one that git gives such a blob. */
  readonly files: Readonly<Record<string, string>>;
  /** Null where git is not asked: plain copies, jj, and what only a sandbox may look at. */
  readonly git: GitObservation | null;
}

export interface GitObservation {
  readonly head: string;
  readonly branch: string;
  readonly status: readonly string[];
  readonly index: readonly string[];
  /** A merge, rebase or the like that is in progress. */
  readonly inProgress: readonly string[];
}

export function observe(path: string, isGit: boolean): Observation {
  return { files: listFiles(path), git: isGit ? observeGit(path) : null };
}

function observeGit(path: string): GitObservation {
  const look = (...args: string[]) =>
    runGit(path, '--no-optional-locks', ...args, '-z')
      .split('\0')
      .filter(Boolean);
  const status = look(
    ...['status', '--porcelain=v2', '--branch', '--untracked-files=all', '--ignore-submodules=all'],
  );
  const find = (key: string) =>
    status.find(line => line.startsWith(`# branch.${key} `))?.slice(`# branch.${key} `.length) ?? '';
  return {
    head: find('oid'),
    branch: find('head'),
    status: status.filter(line => !line.startsWith('# ')),
    index: look('ls-files', '--stage', '-v'),
    inProgress: listInProgress(gitDirOf(path)),
  };
}

/** Names are byte strings. */
const runGit = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd, env: gitEnv(), encoding: 'latin1', stdio: ['ignore', 'pipe', 'pipe'] });

function gitDirOf(path: string): string {
  const file = join(path, '.git');
  if (lstatSync(file).isDirectory()) return file;
  return resolve(
    path,
    readFileSync(file, 'utf8')
      .replace(/^gitdir: /, '')
      .trimEnd(),
  );
}

const STATES = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'BISECT_LOG',
];

function listInProgress(gitDir: string): string[] {
  return STATES.flatMap(name => {
    const stats = lstatSync(join(gitDir, name), { throwIfNoEntry: false });
    if (!stats) return [];
    return stats.isDirectory() ? [name] : [`${name} ${readFileSync(join(gitDir, name), 'utf8').trimEnd()}`];
  });
}

/** Of version control itself only what is nested. */
const TOP = new Set(['.git', '.jj']);

function listFiles(root: string): Record<string, string> {
  const listed: Record<string, string> = {};
  const visit = (path: Buffer, name: string): void => {
    const stats = lstatSync(path);
    listed[name] = `${stats.mode.toString(8)} ${describeContent(path, stats)}`;
    if (!stats.isDirectory()) return;
    for (const child of readdirSync(path, { encoding: 'latin1' }).sort()) {
      if (name === '' && TOP.has(child)) continue;
      const childPath = Buffer.concat([path, Buffer.from('/'), Buffer.from(child, 'latin1')]);
      visit(childPath, name === '' ? child : `${name}/${child}`);
    }
  };
  visit(Buffer.from(root), '');
  return listed;
}

function describeContent(path: Buffer, stats: Stats): string {
  if (stats.isSymbolicLink()) return blobId(readlinkSync(path, { encoding: 'buffer' }));
  return stats.isFile() ? blobId(readFileSync(path)) : '';
}

const blobId = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** A named pipe or a socket, which no snapshot can hold. */
export const isSpecial = (description: string): boolean => /^(1\d{4}|14\d{4}) /.test(description);

/** Whether something is there that is not committed, by the content of every file and not by its time. */
export function hasUncommittedWork({ files, git }: Observation): boolean {
  if (!git) return false;
  if (git.status.length + git.inProgress.length > 0) return true;
  return [...readIndex(git)].some(([name, id]) => files[name] !== undefined && !files[name].endsWith(id));
}

/** Whether removing it loses nothing but what a checkout of its commit brings back. */
export function isWhatGitHas({ files, git }: Observation): boolean {
  if (!git || hasUncommittedWork({ files, git })) return false;
  const index = readIndex(git);
  const folders = new Set([...index.keys()].flatMap(parentsOf));
  return Object.entries(files).every(
    ([name, description]) =>
      INCLUDED[name] === description ||
      (USUAL_MODES.test(description) && (index.has(name) || folders.has(name) || name === '')),
  );
}

const USUAL_MODES = /^(100644|100755|120777|40755|40700) /;

/** What `up` brings along, as it is in the user's checkout. */
const INCLUDED: Readonly<Record<string, string>> = {
  '.env': `100600 ${blobId(Buffer.from(USER_SECRET))}`,
};

/** Ids of blobs, by name; `H 100644 ID 0<tab>name` each. */
const readIndex = ({ index }: GitObservation): Map<string, string> =>
  new Map(index.map(line => [line.slice(line.indexOf('\t') + 1), line.split(' ')[2] ?? '']));

const parentsOf = (name: string): string[] => {
  const names = name.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
};
