import { constants, createReadStream, existsSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { withScratchDirectory } from '../disk/scratch-directory.js';
import type { Git } from '../git.js';
import { readObjectInfos } from '../objects/read-objects.js';
import type { WorkTreePlace } from '../work-tree-place.js';

/**
 * Imports the objects of a private git directory (see private-git.ts) into the repository, so that a snapshot there can hold
 * them. The agent could write them, so they are not trusted: git reads them, hashes them again and writes them, and no
 * existing object is touched. An unreadable object is left out; a snapshot that needs it is then found to be broken. Does
 * nothing for a git directory without objects. NOT_A_REPOSITORY.
 */
export async function borrowObjects(git: Git, place: WorkTreePlace, temporaryRoot: string): Promise<void> {
  const { gitDir, commonDir } = place;
  if (gitDir === commonDir) return;
  if (!existsSync(join(commonDir, 'HEAD'))) throw carrelError('NOT_A_REPOSITORY', { path: commonDir });
  const own = await listOwnObjects(git, gitDir);
  const infos = await readObjectInfos(git, commonDir, own);
  const lacking = own.filter((_, at) => infos[at] === undefined);
  if (lacking.length > 0)
    await withScratchDirectory(temporaryRoot, scratch => importObjects(git, place, scratch, lacking));
}

/** Without borrowed ones. */
async function listOwnObjects(git: Git, gitDir: string): Promise<string[]> {
  const objects = join(gitDir, 'objects');
  const ids = new Set<string>();
  for (const folder of (await listNames(objects)).filter(name => /^[0-9a-f]{2}$/.test(name)))
    for (const name of await listNames(join(objects, folder)))
      if (/^([0-9a-f]{38}|[0-9a-f]{62})$/.test(name)) ids.add(`${folder}${name}`);
  for (const index of (await listNames(join(objects, 'pack'))).filter(name => name.endsWith('.idx')))
    for (const id of await listPacked(git, gitDir, join(objects, 'pack', index))) ids.add(id);
  return [...ids];
}

async function listNames(directory: string): Promise<string[]> {
  return readdir(directory).catch(error => {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  });
}

async function listPacked(git: Git, gitDir: string, index: string): Promise<string[]> {
  const shown = await git.text(['show-index'], { gitDir, stdin: createReadStream(index) });
  return shown.split('\n').flatMap(line => line.split(' ')[1] ?? []);
}

/** An unreadable object breaks the whole pack: then each half is tried, down to that object. */
async function importObjects(
  git: Git,
  place: WorkTreePlace,
  scratch: string,
  ids: readonly string[],
): Promise<void> {
  const [only] = ids.length === 1 ? ids : [];
  const isLost = only !== undefined && (await isUnreadable(git, place.gitDir, only));
  if (isLost) return;
  const packed = await git.run(['pack-objects', '--quiet', '--local', join(scratch, 'pack')], {
    gitDir: place.gitDir,
    stdin: `${ids.join('\n')}\n`,
    env: NO_FETCH,
    // The user's pack size limit would split it.
    config: ['pack.packSizeLimit=0'],
    // If it can be read but not packed, the disk is full.
    answers: only === undefined ? [0, 128] : [0],
  });
  if (packed.exitCode === 0) {
    const pack = join(scratch, `pack-${packed.stdout.toString('latin1').trim()}.pack`);
    return receivePack(git, place.commonDir, pack, ids.length);
  }
  const middle = Math.ceil(ids.length / 2);
  await importObjects(git, place, scratch, ids.slice(0, middle));
  await importObjects(git, place, scratch, ids.slice(middle));
}

const NO_FETCH = { GIT_NO_LAZY_FETCH: '1' };

/** Because of its content; a file without permission is an error. */
async function isUnreadable(git: Git, gitDir: string, id: string): Promise<boolean> {
  await access(join(gitDir, 'objects', id.slice(0, 2), id.slice(2)), constants.R_OK).catch(ignoreMissing);
  const shown = await git.run(['cat-file', '-p', id], { gitDir, env: NO_FETCH, answers: [0, 128] });
  return shown.exitCode !== 0;
}

/** Where git itself, receiving a pack, no longer makes single files of its objects (fetch.unpackLimit). */
const UNPACK_LIMIT = 100;

/** Imports the objects of a pack. Without --strict: in a shallow or partial clone missing links are normal. */
export async function receivePack(git: Git, store: string, pack: string, count: number): Promise<void> {
  const command = count < UNPACK_LIMIT ? ['unpack-objects', '-q'] : ['index-pack', '--stdin'];
  // Flushed to disk before anything is deleted.
  await git.run(command, { gitDir: store, stdin: createReadStream(pack), config: ['core.fsync=all'] });
}
