import { copyFile, mkdir, open, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../../domain/error.js';
import type { WorkTreePlace } from '../work-tree/place.js';

/**
 * Copies the objects that a git directory of its own has (see private-git.ts) to the repository, so that a snapshot there
 * can hold them. An object is named by its content, so one that is there already is the same. Nothing for a git directory
 * that has none.
 */
export async function borrowObjects(place: WorkTreePlace): Promise<void> {
  if (place.gitDir === place.commonDir) return;
  const from = join(place.gitDir, 'objects');
  const to = join(place.commonDir, 'objects');
  const names = await listNames(from);
  for (const folder of names.filter(name => /^[0-9a-f]{2}$/.test(name))) {
    const loose = await listNames(join(from, folder));
    for (const name of loose.filter(candidate => /^[0-9a-f]+$/.test(candidate)))
      await copyOnce(join(from, folder, name), join(to, folder, name));
  }
  const packs = (await listNames(join(from, 'pack'))).filter(name => /\.(pack|rev|idx)$/.test(name));
  // git takes a pack for there when its index is.
  const indexLast = packs.sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  for (const name of indexLast) await copyOnce(join(from, 'pack', name), join(to, 'pack', name));
}

async function listNames(directory: string): Promise<string[]> {
  return readdir(directory).catch(error => {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  });
}

/** Whole and on the disk, or not there; the name until then is one that git cleans up by itself. */
async function copyOnce(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  const draft = join(dirname(to), `tmp_obj_${basename(to)}_${process.pid}`);
  await copyFile(from, draft);
  const file = await open(draft, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, to);
}
