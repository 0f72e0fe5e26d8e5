import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { mountOverlay, unmountOverlay, unmountUnused } from '../../exec/filesystem/overlay-mount.js';
import { currentBoot } from '../../exec/process/identify-process.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import type { Git } from '../../git/git.js';
import { writePrivateGit } from '../../git/repository/private-git.js';
import { checkLfs } from './lfs.js';
import { findNearTemplate } from './near-template.js';
import { evictTemplates } from './template-eviction.js';
import { copyTemplateIndex, setLaterTime } from './template-index.js';
import {
  holdTemplate,
  type KeptTemplate,
  LAYER_SUFFIX,
  type NamedRequest,
  nameTemplate,
  pinTemplate,
  releaseTemplate,
  type TemplateRequest,
  templatesOf,
} from './template-place.js';
import { writeProof } from './template-proof.js';
import {
  CHECKOUT_CONFIG,
  describeTemplate,
  findNamedTemplate,
  makeTemplate,
  type TemplateTree,
} from './template-tree.js';

/** What overlays at one commit read from. `indexFile` matches the files seen through an overlay of `lower`. */
export interface OverlayLayers extends KeptTemplate {
  /** For `mountOverlay`. */
  readonly lower: string;
}

/**
 * The lower layers of a commit, created when there are none: the template tree of the commit; or that of a near commit with
 * a layer of the differences over it, which takes as long as a checkout between the two (ten files of 80,000: 0.3 s and
 * some kilobytes, against 7 s and a gigabyte). They stay while the directory `user.path` exists.
 */
export async function takeLayers(
  git: Git,
  request: TemplateRequest,
  user: { readonly id: string; readonly path: string },
  signal?: AbortSignal,
): Promise<OverlayLayers> {
  const named = await nameTemplate(git, request);
  for (let attempt = 1; ; attempt++) {
    const layers = await ensureLayers(git, named, signal);
    try {
      await holdTemplate(layers.directory, user.id, user.path);
      return layers;
    } catch (error) {
      // It was unused, so another process evicted it just now.
      if (errnoOf(error) !== 'ENOENT' || attempt === 3) throw error;
    }
  }
}

async function ensureLayers(
  git: Git,
  request: NamedRequest,
  signal: AbortSignal | undefined,
): Promise<OverlayLayers> {
  const exact = await findNamedTemplate(git, request);
  if (exact) return overTree(exact);
  const layer = await findLayer(request);
  if (layer) return layer;
  const near = await findNearTemplate(git, request);
  return near ? makeLayer(git, request, near, signal) : overTree(await makeTemplate(git, request, signal));
}

const overTree = (template: TemplateTree): OverlayLayers => ({ ...template, lower: template.tree });

async function findLayer(request: NamedRequest): Promise<OverlayLayers | undefined> {
  const directory = placeLayer(request);
  const base = await readFile(join(directory, BASE), 'utf8').catch(ignoreMissing);
  return base === undefined ? undefined : describeLayer(directory, base, request.commit);
}

/** Names the template tree below the layer. */
const BASE = 'base';

const describeLayer = (directory: string, base: string, commit: string): OverlayLayers => ({
  directory,
  lower: `${join(directory, 'layer')}:${describeTemplate(base, commit).tree}`,
  indexFile: join(directory, 'index'),
  commit,
});

/** Written without fsync, so a layer is only valid until the next reboot. */
const placeLayer = (request: NamedRequest): string =>
  join(templatesOf(request), `${request.name}-${currentBoot().slice(0, 8)}${LAYER_SUFFIX}`);

async function makeLayer(
  git: Git,
  request: NamedRequest,
  base: TemplateTree,
  signal: AbortSignal | undefined,
): Promise<OverlayLayers> {
  const directory = placeLayer(request);
  await withScratchDirectory(templatesOf(request), async scratch => {
    // First for the draft: a user that does not exist uses nothing.
    await holdTemplate(base.directory, basename(scratch), scratch);
    await evictTemplates(git, request);
    const draft = join(scratch, 'template');
    await checkOutOver(git, request, base, scratch, draft, signal);
    await pinTemplate(git, request);
    await holdTemplate(base.directory, basename(directory), directory);
    await rename(draft, directory).catch(error => {
      // Another process made the same one in the meantime: use it.
      if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    });
    await releaseTemplate(base.directory, basename(scratch));
  });
  // It may lie over another tree. If it is gone again, claiming it fails.
  return (await findLayer(request)) ?? describeLayer(directory, base.directory, request.commit);
}

/** Mounts an overlay that writes to the new layer, and checks out the other commit in it. */
async function checkOutOver(
  git: Git,
  request: TemplateRequest,
  base: TemplateTree,
  scratch: string,
  draft: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const place = { gitDir: join(scratch, 'git'), workTree: join(scratch, 'tree') };
  const [upper, work] = [join(draft, 'layer'), join(scratch, 'work')];
  await Promise.all([upper, work, place.workTree].map(makeSharedDirectory));
  await mountOverlay({ lower: base.tree, upper, work, target: place.workTree, volatile: true });
  try {
    const { commonDir, commit } = request;
    await writePrivateGit({ ...place, commonDir, commit: base.commit });
    await copyTemplateIndex(base.indexFile, join(place.gitDir, 'index'));
    const lfs = await checkLfs(git, request.repository);
    const config = [...CHECKOUT_CONFIG, ...lfs.config];
    const command = ['checkout', '--force', '--detach', '--quiet', '--no-recurse-submodules', commit];
    await git.run(command, { ...place, config, signal });
    await rm(join(place.workTree, '.git'));
  } finally {
    // Unmount now, not lazily: until then the kernel refuses an exclusive mount over what is an upper layer elsewhere.
    if (!(await unmountUnused(place.workTree))) await unmountOverlay(place.workTree);
  }
  await rename(join(place.gitDir, 'index'), join(draft, 'index'));
  await setLaterTime(join(draft, 'index'));
  await writeFile(join(draft, BASE), base.directory);
  await writeProof(draft);
}
