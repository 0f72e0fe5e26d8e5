import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { mountOverlayForReading, unmountOverlay } from '../../exec/filesystem/overlay-mount.js';
import { currentBoot } from '../../exec/process/identify-process.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import type { Git } from '../../git/git.js';
import { findDoubtful } from '../../git/index/unseen-edits.js';
import { type TemplateRequest, templateOfLayer } from './template-place.js';

/** Names the boot in which the files of a template were last known to be intact. */
const proofOf = (directory: string): string => join(directory, 'boot');

/** Records that the files of a template are intact, as right after creation. */
export const writeProof = (directory: string): Promise<void> => writeFile(proofOf(directory), currentBoot());

/** Whether it was intact at the last check. */
export async function hasProof(directory: string): Promise<boolean> {
  return (await readFile(proofOf(directory), 'utf8').catch(ignoreMissing)) !== undefined;
}

/**
 * Whether the layers of an overlay are intact. Flushing a gigabyte to disk just to survive a power cut would be too slow.
 * Instead a template from an earlier boot is compared with its index once: lost data shows as another size or time. A layer
 * is compared as seen over the tree below it.
 */
export async function areLayersWhole(
  git: Git,
  request: Pick<TemplateRequest, 'commonDir'>,
  lower: string,
): Promise<boolean> {
  const [top = '', below] = lower.split(':');
  if (below === undefined) return isWhole(git, request, top, compare => compare(top));
  if (!(await areLayersWhole(git, request, below))) return false;
  return isWhole(git, request, top, compare => showLayer(top, below, compare));
}

type Compare = (workTree: string) => Promise<boolean>;

async function isWhole(
  git: Git,
  { commonDir: gitDir }: Pick<TemplateRequest, 'commonDir'>,
  top: string,
  show: (compare: Compare) => Promise<boolean>,
): Promise<boolean> {
  const directory = templateOfLayer(top);
  const boot = await readFile(proofOf(directory), 'utf8').catch(ignoreMissing);
  if (boot === undefined || boot === currentBoot()) return boot !== undefined;
  const query = ['diff-files', '--quiet', '--ignore-submodules=all'];
  const isAsMade = await show(async workTree => {
    const place = { gitDir, workTree, indexFile: join(directory, 'index') };
    if ((await git.run(query, { ...place, answers: [0, 1, 128] })).exitCode !== 0) return false;
    return (await findDoubtful(git, place)).length === 0;
  });
  if (isAsMade) await writeProof(directory);
  else await rm(proofOf(directory), { force: true });
  return isAsMade;
}

function showLayer(upper: string, lower: string, compare: Compare): Promise<boolean> {
  return withScratchDirectory(dirname(templateOfLayer(upper)), async scratch => {
    const target = join(scratch, 'tree');
    await mkdir(target);
    await mountOverlayForReading({ lower, upper, target });
    try {
      return await compare(target);
    } finally {
      await unmountOverlay(target);
    }
  });
}
