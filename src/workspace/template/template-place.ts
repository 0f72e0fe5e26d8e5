import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, isCarrelError } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';
import { readRef, updateRefs } from '../../git/refs/refs.js';

/** Which template is meant. */
export interface TemplateRequest {
  /** The directory of all workspaces; a real path. Templates are below it, so that they share its file system. */
  readonly root: string;
  readonly repositoryId: string;
  /** The main work tree. */
  readonly repository: string;
  readonly commonDir: string;
  readonly commit: string;
}

/** A tree or layer in the templates' directory. */
export interface KeptTemplate {
  readonly directory: string;
  readonly indexFile: string;
  readonly commit: string;
}

export type TemplatesPlace = Pick<TemplateRequest, 'root' | 'repositoryId' | 'commonDir'>;

/** Where the templates of one repository are. */
export const templatesOf = ({ root, repositoryId }: Pick<TemplateRequest, 'root' | 'repositoryId'>): string =>
  join(root, '.templates', repositoryId);

/** A request whose template has a name. */
export interface NamedRequest extends TemplateRequest {
  /** Last part of the path of the template. */
  readonly name: string;
}

/**
 * The commit alone does not determine the files: line endings and filters come from the configuration. A template made
 * under another configuration has another name.
 */
export async function nameTemplate(git: Git, request: TemplateRequest): Promise<NamedRequest> {
  const { commonDir, commit } = request;
  return { ...request, name: `${commit}-${await digestConversions(git, commonDir)}` };
}

/** Hash of everything besides the commit that affects what git writes into files. */
export async function digestConversions(git: Git, commonDir: string): Promise<string> {
  const { stdout } = await git.run(CONVERSIONS_QUERY, { gitDir: commonDir, answers: [0, 1] });
  const attributes = await readFile(join(commonDir, 'info', 'attributes')).catch(() => Buffer.alloc(0));
  return digest(Buffer.concat([stdout, attributes])).slice(0, 8);
}

/** The same configuration with another commit. */
export const renameTemplate = ({ name, ...request }: NamedRequest, commit: string): NamedRequest => ({
  ...request,
  commit,
  name: `${commit}${name.slice(name.indexOf('-'))}`,
});

const CONVERSIONS_QUERY = [
  'config',
  '--null',
  '--get-regexp',
  '^(core\\.(autocrlf|eol|symlinks|filemode|attributesfile)|filter\\..*)$',
];

/** Suffix of names that are a layer over a tree. */
export const LAYER_SUFFIX = '-layer';

const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Keeps the commit from git's garbage collection for as long as the template is there. */
export async function pinTemplate(git: Git, request: TemplateRequest): Promise<void> {
  const { commonDir: gitDir, commit } = request;
  const ref = `${pinsOf(request)}/${commit}`;
  if ((await readRef(git, { gitDir }, ref)) !== undefined) return;
  await updateRefs(git, { gitDir }, [{ ref, from: null, to: commit }]).catch(error => {
    // Another process created it at the same moment.
    if (!isCarrelError(error, 'REF_MOVED')) throw error;
  });
}

/** The refs of all templates of one repository below one root. */
export const pinsOf = (place: TemplatesPlace): string =>
  `refs/carrel/templates/${digest(templatesOf(place)).slice(0, 12)}`;

/** The users of a template, one file with its path for each. */
export const usersOf = (directory: string): string => join(directory, 'users');

/**
 * Records that the directory `path` uses a template, for as long as it exists, mounted or not. Written before the template
 * is used; ENOENT when the template was removed in the meantime.
 */
export async function holdTemplate(directory: string, id: string, path: string): Promise<void> {
  try {
    mkdirSync(usersOf(directory));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  writeFileSync(join(usersOf(directory), id), path);
}

export async function releaseTemplate(directory: string, id: string): Promise<void> {
  await rm(join(usersOf(directory), id), { force: true });
}

/** The template's own directory, from one of its layers. */
export const templateOfLayer = (layer: string): string => dirname(layer);
