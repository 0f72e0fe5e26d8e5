import { readFileSync } from 'node:fs';
import { errnoOf } from '../../../domain/error/error.js';
import { toBytes } from '../../byte-path.js';
import type { Git, GitOptions } from '../../git.js';
import { type ObjectInfo, readObjectInfos } from '../../objects/read-objects.js';
import { writeCommit } from '../../objects/write-objects.js';
import type { RawFile } from '../raw-files.js';

/** Newest first, so that a long reflog does not push out recent commits. */
const MOST_NAMES = 5000;

/**
 * Commits that the state files of a work tree name and that may have no other name: its reflog (where commits on a
 * detached HEAD hide), ORIG_HEAD, the heads of a merge, rebase, cherry-pick or bisect under way. Only the newest of
 * each line of history is given, nothing reachable from `known`, and nothing with an incomplete history.
 */
export async function findKeptCommits(
  git: Git,
  store: string,
  adminFiles: readonly RawFile[],
  known: readonly string[],
  at: Date,
): Promise<string[]> {
  const logsLast = adminFiles.toSorted((a, b) => Number(isLog(a)) - Number(isLog(b)));
  const names = [...new Set(logsLast.flatMap(namesIn))].slice(0, MOST_NAMES);
  const infos = (await readObjectInfos(git, store, names)).filter(info => info !== undefined);
  const commits = infos.filter(info => info.type === 'commit').map(info => info.id);
  const trees = await Promise.all(
    infos.filter(info => info.type === 'tree').map(info => wrapTree(git, store, info, at)),
  );
  return findTips(git, store, [...new Set([...commits, ...trees])], known);
}

const isLog = (file: RawFile): boolean => file.path.startsWith('logs/');

/** In lists of things to do, git and people shorten ids; elsewhere they are whole. */
export function namesIn(file: RawFile): string[] {
  // Not the index, whose ids are bytes, and not what was fetched, which can be fetched again.
  if (/^(index|sharedindex\.\w+|FETCH_HEAD)$/.test(file.path)) return [];
  const pattern = /(todo|done)$/.test(file.path) ? /\b[0-9a-f]{7,64}\b/g : /\b([0-9a-f]{64}|[0-9a-f]{40})\b/g;
  return (readText(file).match(pattern) ?? []).filter(name => !/^0+$/.test(name)).reverse();
}

function readText(file: RawFile): string {
  try {
    return readFileSync(toBytes(file.source), 'latin1');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** AUTO_MERGE names a tree; as the tree of a commit it stays alive like the rest. */
function wrapTree(git: Git, store: string, info: ObjectInfo, at: Date): Promise<string> {
  return writeCommit(git, store, {
    tree: info.id,
    parents: [],
    message: 'carrel: a tree that git was using',
    at,
  });
}

async function findTips(
  git: Git,
  store: string,
  commits: readonly string[],
  known: readonly string[],
): Promise<string[]> {
  const whole = await keepWhole(git, store, commits, known);
  if (whole.length === 0) return [];
  const lines = (await git.text(['rev-list', '--parents', '--stdin'], revisions(store, whole, known))).split(
    '\n',
  );
  const history = lines.filter(Boolean).map(line => line.split(' '));
  const parents = new Set(history.flatMap(([, ...ids]) => ids));
  const listed = new Set(history.map(([id]) => id));
  return whole.filter(id => listed.has(id) && !parents.has(id));
}

/** All at once when all are complete, which is nearly always; else one by one. */
async function keepWhole(
  git: Git,
  store: string,
  commits: readonly string[],
  known: readonly string[],
): Promise<string[]> {
  if (commits.length === 0 || (await isWhole(git, store, commits, known))) return [...commits];
  const whole: string[] = [];
  for (const commit of commits) if (await isWhole(git, store, [commit], known)) whole.push(commit);
  return whole;
}

async function isWhole(
  git: Git,
  store: string,
  commits: readonly string[],
  known: readonly string[],
): Promise<boolean> {
  const walk = ['rev-list', '--objects', '--quiet', '--missing=allow-promisor', '--stdin'];
  return (await git.run(walk, { ...revisions(store, commits, known), answers: [0, 128] })).exitCode === 0;
}

const revisions = (store: string, commits: readonly string[], known: readonly string[]): GitOptions => ({
  gitDir: store,
  stdin: `${[...commits, ...known.map(id => `^${id}`)].join('\n')}\n`,
});
