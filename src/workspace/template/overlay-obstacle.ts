import { existsSync, readFileSync } from 'node:fs';
import { appendFile, lstat, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import { isPlainPath, mountOverlay, unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';

/** Why overlays don't work in a directory, as a sentence; null when they do. */
export type FindOverlayObstacle = (directory: string) => Promise<string | null>;

/**
 * Caches the answer for each directory, or for all directories that `placeOf` maps to one name. A failed check is repeated
 * on the next call.
 */
export function createOverlayProbe(
  placeOf: (directory: string) => string = directory => directory,
): FindOverlayObstacle {
  const known = new Map<string, Promise<string | null>>();
  return directory => {
    const place = placeOf(directory);
    const answer = known.get(place) ?? findOverlayObstacle(directory);
    known.set(place, answer);
    answer.catch(() => known.delete(place));
    return answer;
  };
}

/** Mounts a test overlay next to where the real ones will be, and does to it what git and agents do. */
export async function findOverlayObstacle(directory: string): Promise<string | null> {
  if (process.platform !== 'linux') return 'only Linux has overlay mounts';
  if (!isPlainPath(directory))
    return `mount options can't contain the path ${directory} (comma, colon, quote, backslash or line break)`;
  for (let attempt = 1; ; attempt++) {
    try {
      return await probeIn(directory);
    } catch (error) {
      // Another process ran the same check and removed the directory that it had created.
      const isRace = isCarrelError(error, 'TEMPORARY_NOT_WRITABLE') && error.details.problem === 'ENOENT';
      if (!isRace || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

const MOST_ATTEMPTS = 10;

async function probeIn(directory: string): Promise<string | null> {
  const made = await mkdir(directory, { recursive: true });
  try {
    return await withScratchDirectory(directory, probe);
  } finally {
    if (made !== undefined) await removeMade(directory, made);
  }
}

/** The check leaves nothing behind; files that others put there stay. */
async function removeMade(directory: string, made: string): Promise<void> {
  await rmdir(directory).catch(() => undefined);
  if (directory !== made) await removeMade(dirname(directory), made);
}

/** Mounts in a scratch directory; a killed process leaves them behind. */
export const probeTarget = (scratch: string): string => join(scratch, 'tree');

async function probe(scratch: string): Promise<string | null> {
  const target = probeTarget(scratch);
  const [lower, upper, work] = ['lower', 'upper', 'work'].map(name => join(scratch, name)) as Parts;
  await Promise.all(
    [join(lower, 'directory'), upper, work, target].map(path => mkdir(path, { recursive: true })),
  );
  for (const name of ['edited', 'deleted', 'directory/file']) await writeFile(join(lower, name), 'before');
  try {
    await mountOverlay({ lower, upper, work, target, volatile: true });
    return await tryOut(lower, target);
  } catch (error) {
    if (!isCarrelError(error, 'OVERLAY_MOUNT_FAILED')) throw error;
    return explainFailure(scratch);
  } finally {
    await unmountOverlay(target);
  }
}

type Parts = [lower: string, upper: string, work: string];

async function tryOut(lower: string, target: string): Promise<string | null> {
  if (!(await looksTheSame(join(lower, 'edited'), join(target, 'edited'))))
    return 'files look changed through an overlay here, so git would read all of them again';
  await appendFile(join(target, 'edited'), ', after');
  await rm(join(target, 'deleted'));
  try {
    await rename(join(target, 'directory'), join(target, 'renamed'));
  } catch {
    return "directories can't be renamed in an overlay here";
  }
  const texts = ['edited', 'deleted', 'directory/file'].map(name => readFile(join(lower, name), 'utf8'));
  const isIntact = (await Promise.all(texts)).every(text => text === 'before');
  const seen = `${await readFile(join(target, 'edited'), 'utf8')} ${existsSync(join(target, 'deleted'))}`;
  return isIntact && seen === 'before, after false'
    ? null
    : 'writes to an overlay change its lower layer here';
}

/** Everything that git's index stores about a file: with layers on one file system an overlay shows the lower file's own numbers. */
async function looksTheSame(file: string, seen: string): Promise<boolean> {
  const [a, b] = await Promise.all([file, seen].map(path => lstat(path, { bigint: true })));
  const keys = ['ino', 'ctimeNs', 'mtimeNs', 'size', 'mode', 'uid', 'gid'] as const;
  return keys.every(key => a?.[key] === b?.[key]);
}

/** mount(8) has one exit status for all of these; the user id and the kernel's file systems distinguish them. */
function explainFailure(directory: string): string {
  if (!mayMount()) return 'this user may not mount, and other processes would not see a private mount';
  if (!/\toverlay$/m.test(readFileSync('/proc/filesystems', 'utf8')))
    return 'the kernel has no overlay file system';
  return `the file system of ${directory} can't be the upper layer of an overlay`;
}

const CAP_SYS_ADMIN = 21n;

function mayMount(): boolean {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  return effective !== undefined && ((BigInt(`0x${effective}`) >> CAP_SYS_ADMIN) & 1n) === 1n;
}
