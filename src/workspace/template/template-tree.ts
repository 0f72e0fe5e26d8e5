import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { makeSharedDirectory } from '../../git/disk/shared-directory.js';
import type { Git } from '../../git/git.js';
import { writePrivateGit } from '../../git/repository/private-git.js';
import { checkLfs } from './lfs.js';
import { evictTemplates, evictUnused } from './template-eviction.js';
import { setLaterTime } from './template-index.js';
import {
  type KeptTemplate,
  LAYER_SUFFIX,
  type NamedRequest,
  nameTemplate,
  pinTemplate,
  renameTemplate,
  type TemplateRequest,
  templatesOf,
} from './template-place.js';
import { areLayersWhole, hasProof, writeProof } from './template-proof.js';

/**
 * A clean checkout of one commit that no process works in. It never changes once created: any number of overlays read from
 * it, and copies are created from it. In `indexFile` every file of `tree` is clean.
 */
export interface TemplateTree extends KeptTemplate {
  /** The files, without a `.git`. */
  readonly tree: string;
}

/** The template tree of the commit, when there is one and its files are as they were made. */
export async function findTemplate(git: Git, request: TemplateRequest): Promise<TemplateTree | undefined> {
  return findNamedTemplate(git, await nameTemplate(git, request));
}

/** The template tree of the commit, made when there is none, which takes as long as a checkout. DISK_FULL. */
export async function ensureTemplate(
  git: Git,
  request: TemplateRequest,
  signal?: AbortSignal,
): Promise<TemplateTree> {
  const named = await nameTemplate(git, request);
  return (await findNamedTemplate(git, named)) ?? makeTemplate(git, named, signal);
}

export async function findNamedTemplate(git: Git, request: NamedRequest): Promise<TemplateTree | undefined> {
  for (const directory of await listPlaces(request)) {
    const template = describeTemplate(directory, request.commit);
    if (await areLayersWhole(git, request, template.tree)) return template;
  }
  return undefined;
}

export async function makeTemplate(
  git: Git,
  request: NamedRequest,
  signal: AbortSignal | undefined,
): Promise<TemplateTree> {
  const parent = templatesOf(request);
  await evictTemplates(git, request);
  await makeSharedDirectory(parent);
  return withScratchDirectory(parent, async scratch => {
    const draft = join(scratch, 'template');
    await checkOut(git, request, draft, signal);
    await pinTemplate(git, request);
    return describeTemplate(await moveIntoPlace(draft, request), request.commit);
  });
}

/** The template trees that were made under the same configuration, proven or not. */
export async function listTemplates(request: NamedRequest): Promise<NamedRequest[]> {
  const names = await listNames(request);
  const commits = new Set(names.map(name => name.slice(0, name.indexOf('-'))));
  return [...commits]
    .map(commit => renameTemplate(request, commit))
    .filter(candidate => names.some(name => isNameOf(candidate, name)));
}

/** Most often one; see `moveIntoPlace`. */
async function listPlaces(request: NamedRequest): Promise<string[]> {
  const names = (await listNames(request)).filter(name => isNameOf(request, name));
  return names.sort().map(name => join(templatesOf(request), name));
}

async function listNames(request: NamedRequest): Promise<string[]> {
  const names = (await readdir(templatesOf(request)).catch(ignoreMissing)) ?? [];
  return names.filter(name => !name.endsWith(LAYER_SUFFIX));
}

const isNameOf = (request: NamedRequest, name: string): boolean =>
  name === request.name || name.startsWith(`${request.name}-`);

export const describeTemplate = (directory: string, commit: string): TemplateTree => ({
  directory,
  tree: join(directory, 'tree'),
  indexFile: join(directory, 'index'),
  commit,
});

async function checkOut(
  git: Git,
  request: TemplateRequest,
  draft: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { commonDir, commit } = request;
  const place = { gitDir: join(draft, 'git'), workTree: join(draft, 'tree') };
  await writePrivateGit({ ...place, commonDir, commit });
  const { config } = await checkLfs(git, request.repository);
  await git.run(['reset', '--hard', '--quiet', '--no-recurse-submodules'], {
    ...place,
    config: [...CHECKOUT_CONFIG, ...config],
    signal,
  });
  await rm(join(place.workTree, '.git'));
  await rename(join(place.gitDir, 'index'), join(draft, 'index'));
  await rm(place.gitDir, { recursive: true });
  await setLaterTime(join(draft, 'index'));
  await writeProof(draft);
}

/** As many workers as cores; the whole tree, with a standalone index. */
export const CHECKOUT_CONFIG = [
  'checkout.workers=0',
  'submodule.recurse=false',
  'core.sparseCheckout=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
];

/**
 * Another process may have made the same one in the meantime: use it. A broken one is replaced, unless overlays read from
 * it: nothing may change under those, and the new one gets a number after its name.
 */
async function moveIntoPlace(draft: string, request: NamedRequest): Promise<string> {
  const first = join(templatesOf(request), request.name);
  for (let number = 1; ; number++) {
    const directory = number === 1 ? first : `${first}-${number}`;
    if (await isMovedTo(draft, directory)) return directory;
    if (await hasProof(directory)) return directory;
    await evictUnused(directory);
    if (await isMovedTo(draft, directory)) return directory;
  }
}

async function isMovedTo(draft: string, directory: string): Promise<boolean> {
  try {
    await rename(draft, directory);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
