import { join } from 'node:path';
import type { Git } from '../git.js';
import { ensureBareStore, isStore } from '../objects/bare-store.js';
import { listRefs, updateRefs } from '../refs/refs.js';

/**
 * Stores the part of a snapshot that git must never push: ignored files (`.env`), nested repositories, and private files of a
 * sandbox. Refs of the user's repository are copied by `git push --mirror`, `git clone --mirror` and `git bundle --all`, so
 * this part is in Carrel's own bare repositories, in its state directory:
 *
 *     kept/sha1.git, kept/sha256.git     by the length of ids in the user's repository
 *       refs/carrel/snapshots/ID/PIN     the commit K of the snapshot ID: no parents, the folders of snapshot-meta.ts
 *
 * They borrow no objects from elsewhere. The snapshot names K in its meta.json (`kept`), so K's bytes are proven by the
 * snapshot's own id. K is pinned before the snapshot is, and unpinned after it. While a snapshot is replaced there are
 * two pins, so that a crash leaves either snapshot complete.
 */
export const keptStoreOf = (keptDir: string, id: string): string =>
  join(keptDir, `${id.length === 64 ? 'sha256' : 'sha1'}.git`);

/** The directory of those repositories. */
export const keptDirIn = (stateDir: string): string => join(stateDir, 'kept');

/** The store for a repository with ids like this one; created if missing. */
export async function ensureKeptStore(git: Git, keptDir: string, id: string): Promise<string> {
  const store = keptStoreOf(keptDir, id);
  await ensureBareStore(git, store, id.length === 64 ? 'sha256' : 'sha1');
  return store;
}

/** `ref` is that of the snapshot. */
export async function pinKept(git: Git, store: string, ref: string, commit: string): Promise<void> {
  const place = { gitDir: store };
  const pins = await listRefs(git, place, [ref]);
  if (pins.some(pin => pin.commit === commit)) return;
  await updateRefs(git, place, [{ ref: `${ref}/${commit}`, from: null, to: commit }]);
}

/** The commits that are pinned for any snapshot. */
export async function listKept(git: Git, keptDir: string): Promise<ReadonlySet<string>> {
  const stores = [keptStoreOf(keptDir, ''), keptStoreOf(keptDir, '0'.repeat(64))];
  const kept = new Set<string>();
  for (const gitDir of stores) {
    if (!(await isStore(gitDir))) continue;
    for (const { commit } of await listRefs(git, { gitDir }, [])) kept.add(commit);
  }
  return kept;
}

/** Whether all of it exists and is pinned. */
export async function isKept(git: Git, keptDir: string, ref: string, commit: string): Promise<boolean> {
  const store = keptStoreOf(keptDir, commit);
  if (!(await isStore(store))) return false;
  const pins = await listRefs(git, { gitDir: store }, [ref]);
  if (!pins.some(pin => pin.commit === commit)) return false;
  const walk = ['rev-list', '--objects', '--quiet', commit, '--'];
  return (await git.run(walk, { gitDir: store, answers: [0, 128] })).exitCode === 0;
}

/** Deletes the pins of a snapshot, except that of `commit`. Idempotent. */
export async function releaseKept(git: Git, keptDir: string, ref: string, commit?: string): Promise<void> {
  for (const format of ['sha1', 'sha256']) {
    const place = { gitDir: join(keptDir, `${format}.git`) };
    if (!(await isStore(place.gitDir))) continue;
    const pins = (await listRefs(git, place, [ref])).filter(pin => pin.commit !== commit);
    const changes = pins.map(pin => ({ ref: pin.ref, from: pin.commit, to: null }));
    if (changes.length > 0) await updateRefs(git, place, changes);
  }
}

/** A running capture has pinned nothing yet, and no capture takes this long. */
const PRUNE_AGE = '1.day.ago';

/** Deletes what no snapshot needs any more. */
export async function pruneKept(git: Git, keptDir: string): Promise<void> {
  for (const format of ['sha1', 'sha256']) {
    const gitDir = join(keptDir, `${format}.git`);
    if (await isStore(gitDir)) await git.run(['gc', '--quiet', `--prune=${PRUNE_AGE}`], { gitDir });
  }
}
