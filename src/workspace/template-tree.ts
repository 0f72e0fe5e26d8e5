import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../domain/error.js';
import { currentBoot } from '../exec/process-identity.js';
import type { Git } from '../git/git.js';
import { writePrivateGit } from '../git/private-git.js';
import { withScratchDirectory } from '../git/scratch-directory.js';
import { checkLfs } from './lfs.js';
import { evictTemplates } from './template-eviction.js';
import { settleIndex } from './template-index.js';
import {
  type KeptTemplate,
  type NamedRequest,
  nameTemplate,
  pinTemplate,
  renameTemplate,
  type TemplateRequest,
  templatesOf,
} from './template-place.js';

/**
 * A clean checkout of one commit that nobody works in. It never changes once it is there: overlays of any number read
 * from it, and copies are made of it. `indexFile` tells git that every file of `tree` is as the commit has it.
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
  const template = describeTemplate(join(templatesOf(request), request.name), request.commit);
  return (await isProven(git, request, template)) ? template : undefined;
}

export async function makeTemplate(
  git: Git,
  request: NamedRequest,
  signal: AbortSignal | undefined,
): Promise<TemplateTree> {
  const parent = templatesOf(request);
  const directory = join(parent, request.name);
  await evictTemplates(git, request);
  await mkdir(parent, { recursive: true });
  await withScratchDirectory(parent, async scratch => {
    const draft = join(scratch, 'template');
    await checkOut(git, request, draft, signal);
    await pinTemplate(git, request);
    await moveIntoPlace(draft, directory);
  });
  return describeTemplate(directory, request.commit);
}

/** The template trees that were made under the same configuration, proven or not. */
export async function listTemplates(request: NamedRequest): Promise<NamedRequest[]> {
  const names = (await readdir(templatesOf(request)).catch(ignoreMissing)) ?? [];
  return names
    .map(name => renameTemplate(request, name.slice(0, name.indexOf('-'))))
    .filter(candidate => names.includes(candidate.name));
}

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
  await settleIndex(join(draft, 'index'));
  await writeFile(join(draft, PROOF), currentBoot());
}

/** As many workers as cores; the whole tree, in an index that stands for itself and belongs to no place. */
export const CHECKOUT_CONFIG = [
  'checkout.workers=0',
  'submodule.recurse=false',
  'core.sparseCheckout=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
];

/** Names the boot under which the files were last known to be whole. */
const PROOF = 'boot';

/**
 * A gigabyte is not flushed to the disk for the sake of a power cut. Instead a template of an earlier boot is compared
 * with its index once: what was lost has another size or time there.
 */
async function isProven(git: Git, request: TemplateRequest, template: TemplateTree): Promise<boolean> {
  const proof = join(template.directory, PROOF);
  const boot = await readFile(proof, 'utf8').catch(ignoreMissing);
  if (boot === undefined || boot === currentBoot()) return boot !== undefined;
  const { commonDir: gitDir } = request;
  const place = { gitDir, workTree: template.tree, indexFile: template.indexFile };
  const query = ['diff-files', '--quiet', '--ignore-submodules=all'];
  const isWhole = (await git.run(query, { ...place, answers: [0, 1, 128] })).exitCode === 0;
  if (isWhole) await writeFile(proof, currentBoot());
  else await rm(proof, { force: true });
  return isWhole;
}

/** Another process may have made the same one meanwhile: theirs is as good. One that was found broken gives way. */
async function moveIntoPlace(draft: string, directory: string): Promise<void> {
  await rename(draft, directory).catch(async error => {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errnoOf(error) ?? '')) throw error;
    const isThere = (await readFile(join(directory, PROOF), 'utf8').catch(ignoreMissing)) !== undefined;
    if (isThere) return;
    await rename(directory, `${draft}-broken`);
    await rename(draft, directory);
  });
}
