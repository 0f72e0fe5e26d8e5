import { constants, createReadStream, existsSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, errnoOf, ignoreMissing } from '../../domain/error.js';
import type { Git } from '../git.js';
import { readObjectInfos } from '../object-reader.js';
import { withScratchDirectory } from '../scratch-directory.js';
import type { WorkTreePlace } from '../work-tree/place.js';

/**
 * Brings the objects that a git directory of its own has (see private-git.ts) into the repository, so that a snapshot
 * there can hold them. They were in anybody's reach and are nothing to rely on: git itself reads them, names them anew by
 * their content and writes them, and nothing that the repository has is touched. One that can't be read is left out; a
 * snapshot that needs it is found out to be broken. Nothing for a git directory that has none. NOT_A_REPOSITORY.
 */
export async function borrowObjects(git: Git, place: WorkTreePlace, temporaryRoot: string): Promise<void> {
  const { gitDir, commonDir } = place;
  if (gitDir === commonDir) return;
  if (!existsSync(join(commonDir, 'HEAD'))) throw carrelError('NOT_A_REPOSITORY', { path: commonDir });
  const own = await listOwnObjects(git, gitDir);
  const infos = await readObjectInfos(git, commonDir, own);
  const lacking = own.filter((_, at) => infos[at] === undefined);
  if (lacking.length > 0)
    await withScratchDirectory(temporaryRoot, scratch => bring(git, place, scratch, lacking));
}

/** Without those that it borrows itself. */
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

/** One that can't be read spoils the pack that it was to be in: then each half is tried, down to that one. */
async function bring(git: Git, place: WorkTreePlace, scratch: string, ids: readonly string[]): Promise<void> {
  const [only] = ids.length === 1 ? ids : [];
  const isLost = only !== undefined && (await isUnreadable(git, place.gitDir, only));
  if (isLost) return;
  const packed = await git.run(['pack-objects', '--quiet', '--local', join(scratch, 'pack')], {
    gitDir: place.gitDir,
    stdin: `${ids.join('\n')}\n`,
    env: NO_FETCH,
    // A limit of the user's would make several packs of it.
    config: ['pack.packSizeLimit=0'],
    // One that can be read and not be packed is no matter of objects: the disk is full.
    answers: only === undefined ? [0, 128] : [0],
  });
  if (packed.exitCode === 0) {
    const pack = join(scratch, `pack-${packed.stdout.toString('latin1').trim()}.pack`);
    return receive(git, place.commonDir, pack, ids.length);
  }
  const middle = Math.ceil(ids.length / 2);
  await bring(git, place, scratch, ids.slice(0, middle));
  await bring(git, place, scratch, ids.slice(middle));
}

const NO_FETCH = { GIT_NO_LAZY_FETCH: '1' };

/** Because of what it is; a file that we may not read is an error, and nothing to go on without. */
async function isUnreadable(git: Git, gitDir: string, id: string): Promise<boolean> {
  await access(join(gitDir, 'objects', id.slice(0, 2), id.slice(2)), constants.R_OK).catch(ignoreMissing);
  const shown = await git.run(['cat-file', '-p', id], { gitDir, env: NO_FETCH, answers: [0, 128] });
  return shown.exitCode !== 0;
}

/** Where git itself, receiving a pack, no longer makes single files of its objects (fetch.unpackLimit). */
const UNPACK_LIMIT = 100;

/** Without --strict: links that lead out of a shallow or partial clone are as they should be. */
async function receive(git: Git, store: string, pack: string, count: number): Promise<void> {
  const command = count < UNPACK_LIMIT ? ['unpack-objects', '-q'] : ['index-pack', '--stdin'];
  // Before anything is deleted they are on the disk, not only in its cache.
  await git.run(command, { gitDir: store, stdin: createReadStream(pack), config: ['core.fsync=all'] });
}
