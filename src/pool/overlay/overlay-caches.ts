import { chmodSync, chownSync, lstatSync, mkdirSync, renameSync, type Stats } from 'node:fs';
import { type BytePath, toFsPath } from '../../git/byte-path.js';
import { type Git, splitRecords } from '../../git/git.js';
import type { OverlayLayers } from '../../workspace/template/overlay-layers.js';
import { candidatePaths, digestFor } from '../slot/kept-caches.js';
import type { CacheDigests } from '../slot-files.js';

export interface CacheRequest {
  readonly commonDir: string;
  /** Where the caches are now. */
  readonly upper: string;
  /** What they will lie over. */
  readonly layers: OverlayLayers;
  /** Those that may stay. */
  readonly paths: readonly BytePath[];
}

/**
 * The caches in an upper layer that may go over to the next one: ignored directories, where the commit has nothing,
 * whose lock files are as the commit has them.
 */
export async function findFittingCaches(git: Git, request: CacheRequest): Promise<CacheDigests> {
  const there = request.paths.filter(path => isCache(request, path));
  if (there.length === 0) return {};
  const ids = await readIds(git, request, there.flatMap(candidatePaths));
  const ignored = await findIgnored(git, request, there);
  const fitting = there.filter(path => ignored.has(path));
  return Object.fromEntries(fitting.map(path => [path, digestFor(path, name => ids.get(name))]));
}

/** What was changed by the slot's user, or deleted, has an entry in the upper layer. */
function isCache({ upper, layers }: CacheRequest, path: BytePath): boolean {
  return (
    look(upper, path)?.isDirectory() === true &&
    lowerDirectories(layers).every(layer => !look(layer, path)) &&
    candidatePaths(path).every(name => !look(upper, name))
  );
}

async function readIds(
  git: Git,
  { commonDir, layers }: CacheRequest,
  paths: readonly BytePath[],
): Promise<ReadonlyMap<BytePath, string>> {
  const names = paths.map(path => Buffer.from(path, 'latin1').toString('utf8'));
  const query = ['ls-tree', '-z', '--full-tree', layers.commit, '--', ...new Set(names)];
  const records = splitRecords((await git.run(query, { gitDir: commonDir })).stdout);
  return new Map(
    records.map(record => {
      const [meta = '', path = ''] = record.split('\t');
      return [path, meta.split(' ')[2] ?? ''];
    }),
  );
}

/** Uses the rules of the lowest layer, a whole tree; where a layer above it has its own rules, nothing is kept. */
async function findIgnored(
  git: Git,
  { commonDir, layers }: CacheRequest,
  paths: readonly BytePath[],
): Promise<ReadonlySet<BytePath>> {
  const directories = lowerDirectories(layers);
  const workTree = directories.pop() as string;
  const plain = paths.filter(path =>
    candidatePaths(path).every(name => directories.every(layer => !look(layer, name))),
  );
  const stdin = Buffer.from(plain.map(path => `${path}/\0`).join(''), 'latin1');
  const query = ['check-ignore', '--no-index', '-z', '--stdin'];
  // It knows no literal paths, and these come from stdin, where none is a pattern.
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  const { stdout } = await git.run(query, { gitDir: commonDir, workTree, stdin, env, answers: [0, 1] });
  return new Set(splitRecords(stdout).map(path => path.replace(/\/$/, '')));
}

const lowerDirectories = ({ lower }: OverlayLayers): string[] => lower.split(':');

/** The directories above a cache are recreated, as in the lower layers. */
export function moveCaches(
  from: string,
  to: string,
  layers: OverlayLayers,
  paths: readonly BytePath[],
): void {
  for (const path of paths) {
    const parts = path.split('/').slice(0, -1);
    for (const [index] of parts.entries()) makeParent(to, layers, parts.slice(0, index + 1).join('/'));
    renameSync(toFsPath(from, path), toFsPath(to, path));
  }
}

function makeParent(to: string, layers: OverlayLayers, path: BytePath): void {
  if (look(to, path)) return;
  mkdirSync(toFsPath(to, path));
  const model = lowerDirectories(layers).flatMap(layer => look(layer, path) ?? [])[0];
  if (!model) return;
  chownSync(toFsPath(to, path), model.uid, model.gid);
  chmodSync(toFsPath(to, path), model.mode & 0o7777);
}

/** Through no link, and nothing when a file is on the way. */
function look(root: string, path: BytePath): Stats | undefined {
  try {
    return lstatSync(toFsPath(root, path), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
