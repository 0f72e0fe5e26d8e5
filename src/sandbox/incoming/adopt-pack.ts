import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { replaceBy } from '../../exec/filesystem/replace-file.js';

/**
 * Puts what arrived into the repository's object directory and runs `action`, which makes a ref hold it. Until then the pack
 * has a `.keep` file, as with git's own receive-pack: otherwise a concurrent `git gc` would find that nothing needs it.
 */
export async function withAdoptedPack<T>(
  incomingDir: string,
  commonDir: string,
  action: () => Promise<T>,
): Promise<T> {
  const from = join(incomingDir, 'objects', 'pack');
  const to = join(commonDir, 'objects', 'pack');
  const packs = await listPacks(incomingDir);
  await mkdir(to, { recursive: true });
  for (const pack of packs) await adopt(from, to, pack);
  try {
    return await action();
  } finally {
    await releasePacks(incomingDir, commonDir);
  }
}

/** Removes the `.keep` files of the packs of an incoming repository, also of one that a dead process left. */
export async function releasePacks(incomingDir: string, commonDir: string): Promise<void> {
  for (const pack of await listPacks(incomingDir)) {
    const file = join(commonDir, 'objects', 'pack', `${pack}.keep`);
    // A `.keep` file with other content belongs to another program.
    if ((await readFile(file, 'utf8').catch(ignoreMissing)) === KEEP) await rm(file, { force: true });
  }
}

const KEEP = 'carrel: being imported\n';

async function listPacks(incomingDir: string): Promise<string[]> {
  const names = (await readdir(join(incomingDir, 'objects', 'pack')).catch(ignoreMissing)) ?? [];
  return names.flatMap(name => /^(pack-[0-9a-f]+)\.idx$/.exec(name)?.[1] ?? []);
}

/** The index comes last: git finds the others through it. */
async function adopt(from: string, to: string, pack: string): Promise<void> {
  await writeFile(join(to, `${pack}.keep`), KEEP, { flag: 'wx' }).catch(ignoreExisting);
  for (const ending of ['pack', 'rev', 'idx'])
    await linkOrCopy(join(from, `${pack}.${ending}`), join(to, `${pack}.${ending}`));
}

/** A pack is named after what is in it: one of the same name is the same. Linked, so that its name stays known here. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST' || (errno === 'ENOENT' && from.endsWith('.rev'))) return;
    if (errno === undefined || !NO_LINKS.has(errno)) throw error;
    await replaceBy(to, draft => copyFile(from, draft, constants.COPYFILE_FICLONE));
  }
}

/** Another file system, or one without links. */
const NO_LINKS: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

function ignoreExisting(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error;
}
