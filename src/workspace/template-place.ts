import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf, isCarrelError } from '../domain/error.js';
import type { Git } from '../git/git.js';
import { readRef, updateRefs } from '../git/refs.js';

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

/** Something in the templates' directory that others read from. */
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
 * The commit alone does not say what the files are: line endings and filters are the configuration's. A template that
 * was made under another one has another name.
 */
export async function nameTemplate(git: Git, request: TemplateRequest): Promise<NamedRequest> {
  const { commonDir, commit } = request;
  return { ...request, name: `${commit}-${await digestConversions(git, commonDir)}` };
}

/** Stands for everything besides the commit that says what git writes into files. */
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

/** Ends the names of those that are no whole tree but a layer over one. */
export const LAYER_SUFFIX = '-layer';

const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

/** Keeps the commit from git's garbage collection for as long as the template is there. */
export async function pinTemplate(git: Git, request: TemplateRequest): Promise<void> {
  const { commonDir: gitDir, commit } = request;
  const ref = `${pinsOf(request)}/${commit}`;
  if ((await readRef(git, { gitDir }, ref)) !== undefined) return;
  await updateRefs(git, { gitDir }, [{ ref, from: null, to: commit }]).catch(error => {
    // Made by another process at this moment.
    if (!isCarrelError(error, 'REF_MOVED')) throw error;
  });
}

/** The refs of all templates of one repository below one root: another root has others. */
export const pinsOf = (place: TemplatesPlace): string =>
  `refs/carrel/templates/${digest(templatesOf(place)).slice(0, 12)}`;

/** Where the users of a template are written down, each by a file that holds its path. */
export const usersOf = (directory: string): string => join(directory, 'users');

/**
 * Says that the directory `path` reads from a template, for as long as it exists, mounted or not. Written before the
 * template is used; ENOENT when the template went away meanwhile.
 */
export async function holdTemplate(directory: string, id: string, path: string): Promise<void> {
  await mkdir(usersOf(directory)).catch(error => {
    if (errnoOf(error) !== 'EEXIST') throw error;
  });
  await writeFile(join(usersOf(directory), id), path);
}

export async function releaseTemplate(directory: string, id: string): Promise<void> {
  await rm(join(usersOf(directory), id), { force: true });
}

/** The template's own directory, from one of its layers. */
export const templateOfLayer = (layer: string): string => dirname(layer);
