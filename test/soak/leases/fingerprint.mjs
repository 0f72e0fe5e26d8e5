import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses } from './cleanliness.mjs';
import { git } from './git.mjs';

/**
 * What has to be the same before and after, one line each: the repository without its objects and without the refs of
 * snapshots, which are meant to stay as their parts in `kept` are; all files in cache, state and temporary directory but the database, the claims of living processes and the compiled
 * code of the command line; who stands there.
 */
export async function takeFingerprint(site) {
  const refs = await git(site.repository, 'for-each-ref', '--format=%(objectname) %(refname)');
  const isOfSnapshot = line => line.includes(' refs/carrel/snapshots/');
  const isOfSnapshots = path => /^\.git\/(objects|refs\/carrel|packed-refs)(\/|$)/.test(path);
  return [
    ...refs.split('\n').filter(line => !isOfSnapshot(line)),
    ...listTree(site.repository, isOfSnapshots).map(line => `repository: ${line}`),
    ...listTree(site.cacheDir, path => /^code(\/|$)/.test(path)).map(line => `cache: ${line}`),
    ...listTree(site.stateDir, path => /^(carrel\.db(-wal|-shm)?|kept|in-use)(\/|$)/.test(path)).map(
      line => `state: ${line}`,
    ),
    ...listTree(site.temporary).map(line => `temporary: ${line}`),
    ...listProcesses(site.home).map(pid => `process ${pid} is inside`),
  ];
}

/** What is different between two fingerprints. The cache may have had something before that was about to be deleted. */
export function compareFingerprints(before, after) {
  const isMissed = line => !after.includes(line) && !line.startsWith('cache: ');
  return [
    ...before.filter(isMissed).map(line => `gone: ${line}`),
    ...after.filter(line => !before.includes(line)).map(line => `new: ${line}`),
  ];
}

function listTree(root, isLeftOut = () => false) {
  if (!existsSync(root)) return [];
  const paths = readdirSync(root, { recursive: true }).filter(path => !isLeftOut(path));
  return paths.flatMap(path => describeIfThere(root, path));
}

/** Nothing for what was deleted since it was listed. */
function describeIfThere(root, path) {
  try {
    return [`${path} ${describe(join(root, path))}`];
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function describe(path) {
  const info = lstatSync(path);
  const content = info.isSymbolicLink() ? readlinkSync(path) : info.isFile() ? readFileSync(path) : '';
  return `${info.mode.toString(8)} ${createHash('sha256').update(content).digest('hex').slice(0, 12)}`;
}
