import { isCarrelError } from '../../../domain/error/error.js';
import type { BytePath } from '../../byte-path.js';
import type { Git } from '../../git.js';
import { readObjectInfos, readParents } from '../../objects/read-objects.js';
import { readRef } from '../../refs/refs.js';
import { isKept, keptStoreOf } from '../kept-store.js';
import { readSnapshotMeta } from '../snapshot-meta.js';
import { describePlace } from './expected-files.js';
import { hashObjects } from './hash-objects.js';

export interface DeepRequest {
  readonly objectStore: string;
  readonly ref: string;
  /** The snapshot's, as its record has it. */
  readonly commit: string;
  readonly isDirectory: boolean;
  readonly keptDir: string;
  readonly signal?: AbortSignal | undefined;
}

/** What is wrong with a snapshot. `part` is what it affects: only the pin, the separately stored part, or everything. */
export interface Finding {
  readonly part: 'ref' | 'kept' | 'work';
  readonly problem: string;
}

/** Checks that the refs exist and that every object the snapshot adds to the earlier history matches its id. */
export async function examineObjects(git: Git, request: DeepRequest): Promise<Finding[]> {
  const { objectStore, ref, commit, isDirectory } = request;
  const place = { gitDir: objectStore };
  const [info] = await readObjectInfos(git, objectStore, [commit]);
  if (!info) return [{ part: 'work', problem: `its commit ${commit} is missing in ${objectStore}` }];
  const pinned = await readRef(git, place, ref);
  const pin: Finding[] = pinned === commit ? [] : [{ part: 'ref', problem: describePin(ref, pinned) }];
  const parents = await readParents(git, objectStore, commit).catch(ignoreBroken);
  if (!parents) return [...pin, { part: 'work', problem: `its commit ${commit} can't be read` }];
  // Of a work tree's snapshot the first of three parents is HEAD, whose history the repository already has.
  const known = parents.length > 2 ? parents.slice(0, 1) : [];
  const own = await examine(git, objectStore, commit, known, request.signal);
  const work = own.map(problem => ({ part: 'work', problem }) as const);
  if (isDirectory || work.length > 0) return [...pin, ...work];
  return [...pin, ...(await examineKept(git, request))];
}

const describePin = (ref: string, pinned: string | undefined): string =>
  pinned === undefined
    ? `its ref ${ref} is gone; git may delete its objects at any time`
    : `its ref ${ref} is at ${pinned} instead`;

/** The part that git must never push. */
async function examineKept(git: Git, request: DeepRequest): Promise<Finding[]> {
  const { objectStore, commit, ref, keptDir, signal } = request;
  const { kept } = await readSnapshotMeta(git, objectStore, commit);
  if (kept === undefined) return [];
  const store = keptStoreOf(keptDir, kept);
  const isThere = await isKept(git, keptDir, ref, kept).catch(() => false);
  const problems = await examine(git, store, kept, [], signal).catch(() => []);
  const all = problems.length > 0 || isThere ? problems : [`${store} no longer has ${kept}`];
  return all.map(problem => ({ part: 'kept', problem }) as const);
}

/** Everything reachable from the commit and not from `known`. */
async function examine(
  git: Git,
  gitDir: string,
  commit: string,
  known: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const walk = ['rev-list', '--objects', commit, ...known.map(id => `^${id}`)];
  const options = { gitDir, answers: [0, 128], signal, env: { GIT_NO_LAZY_FETCH: '1' } };
  const whole = await git.run([...walk, '--missing=allow-promisor'], options);
  const listed =
    whole.exitCode === 0
      ? whole
      : await git.run([...walk.slice(0, 2), '--missing=print', ...walk.slice(2)], options);
  const lines = listed.stdout.toString('latin1').split('\n').filter(Boolean);
  const missing = lines
    .filter(line => line.startsWith('?'))
    .map(line => `object ${line.slice(1)} is missing`);
  const paths = new Map<string, BytePath>(
    lines.filter(line => !line.startsWith('?')).map(line => [idOf(line), line.slice(idOf(line).length + 1)]),
  );
  const bad = await hashObjects(git, gitDir, [...paths.keys()], signal);
  const problems = [
    ...missing,
    ...bad.map(({ id, problem }) => `${describePlace(paths.get(id) ?? '')} (object ${id}) ${problem}`),
  ];
  const isUnread = listed.exitCode !== 0 && problems.length === 0;
  return isUnread ? [`the objects of ${commit} can't be listed: ${lastLine(listed.stderr)}`] : problems;
}

const idOf = (line: string): string => line.split(' ', 1)[0] ?? '';

const lastLine = (text: Buffer): string => text.toString('utf8').trimEnd().split('\n').at(-1) ?? '';

function ignoreBroken(error: unknown): undefined {
  if (!isCarrelError(error, 'SNAPSHOT_BROKEN', 'GIT_FAILED')) throw error;
  return undefined;
}
