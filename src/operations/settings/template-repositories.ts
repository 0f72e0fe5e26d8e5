import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { LoadedConfig } from '../../config/load-config.js';
import type { LoadedWorkflow } from '../../config/workflows/load-workflows.js';
import type { GroupRepositories } from '../../domain/workspace/group-repositories.js';

/** The other repositories of a template. */
export interface TemplateRepositories {
  readonly named: NamedRepositories;
  /** Whether the repository, not the user, names any of them. */
  readonly isOfRepository: boolean;
}

/** As in the configuration, or as a caller names them. */
export type NamedRepositories = Readonly<GroupRepositories> | readonly string[];

/** Where one of them is. */
export interface NamedRepository {
  /** Null where only a path is named. */
  readonly alias: string | null;
  /** Absolute. */
  readonly path: string;
  readonly base: string | undefined;
}

export function findTemplateRepositories(
  { config, fromRepository }: Pick<LoadedConfig, 'config' | 'fromRepository'>,
  template: string | undefined,
): TemplateRepositories | null {
  const named = template === undefined ? undefined : config.templates[template]?.repositories;
  if (named === undefined) return null;
  return { named, isOfRepository: fromRepository(`templates.${template}.repositories`) };
}

/** Paths are relative to the root of the repository that the workspace is created in. */
export function listNamed(root: string, named: NamedRepositories): NamedRepository[] {
  if (isList(named)) return named.map(path => ({ alias: null, path: resolve(root, path), base: undefined }));
  return Object.entries(named).map(([alias, value]) => {
    const { path, base } = typeof value === 'string' ? { path: value, base: undefined } : value;
    return { alias, path: resolve(root, path), base };
  });
}

const isList = (named: NamedRepositories): named is readonly string[] => Array.isArray(named);

/**
 * What `carrel trust` shows of them. With every link resolved: a file that an agent can land must not lead an approved path to another
 * directory.
 */
export async function describeNamed({ alias, path }: NamedRepository): Promise<string> {
  const real = await realpath(path).catch(() => path);
  return `create workspaces in the repository ${real}${alias === null ? '' : ` (${alias})`}`;
}

/** Every one in the repository's own files, for any template and any of its workflows. */
export async function listRepositoryRepositories(
  loaded: LoadedConfig,
  root: string,
  workflows: readonly LoadedWorkflow[],
): Promise<string[]> {
  const found = Object.keys(loaded.config.templates).map(template =>
    findTemplateRepositories(loaded, template),
  );
  const ofTemplates = found.flatMap(each => (each?.isOfRepository ? listNamed(root, each.named) : []));
  const ofWorkflows = workflows.flatMap(workflow => listWorkflowRepositories(root, workflow));
  const named = [...ofTemplates, ...ofWorkflows];
  return [...new Set(await Promise.all(named.map(describeNamed)))];
}

/** The other repositories of a workflow. Its file is always one of the repository. */
export const listWorkflowRepositories = (root: string, { definition }: LoadedWorkflow): NamedRepository[] =>
  definition.repositories === undefined ? [] : listNamed(root, definition.repositories);
