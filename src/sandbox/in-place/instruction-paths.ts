import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Git } from '../../git/git.js';
import { type GitSetting, listSettings } from '../../git/repository/list-settings.js';
import type { WorkTreePlace } from '../../git/work-tree-place.js';

/** Paths in a work tree that the user's git takes instructions from. */
export interface InstructionPaths {
  /** Relative to the work tree. */
  readonly paths: readonly string[];
  /** Those that can't be protected: not even their first directory exists, or they are behind a symbolic link. */
  readonly unprotected: readonly string[];
}

/**
 * Hooks (`core.hooksPath`), included configuration, and every other file of the work tree that git's configuration names, such
 * as the program of a filter: they have to be read-only inside, because the user's next git command obeys them. Of a path that
 * does not exist, the nearest directory that does.
 */
export async function listInstructionPaths(
  { git, environment }: InstructionTools,
  { gitDir, commonDir }: Pick<WorkTreePlace, 'gitDir' | 'commonDir'>,
  root: string,
): Promise<InstructionPaths> {
  const hidden = [gitDir, commonDir, join(root, '.git')];
  const settings = await listSettings(git, gitDir);
  const named = settings.flatMap(setting => listNamed(setting, root, environment.HOME ?? ''));
  const inside = named.filter(
    ({ path }) => isBelow(path, root) && !hidden.some(each => isWithin(path, each)),
  );
  const found = inside.map(({ path, isRequired }) => ({ path, isRequired, there: findExisting(path, root) }));
  const obeyed = found.filter(({ path, isRequired, there }) => isRequired || there === path);
  const paths = obeyed.flatMap(({ there }) => (there !== undefined && isReal(there) ? [there] : []));
  const unprotected = obeyed.filter(({ there }) => there === undefined || !isReal(there));
  return {
    paths: [...new Set(paths.map(path => relative(root, path)))],
    unprotected: [...new Set(unprotected.map(({ path }) => relative(root, path)))],
  };
}

export interface InstructionTools {
  readonly git: Git;
  /** That of the user, with HOME. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Named {
  readonly path: string;
  /** Whether git obeys it as soon as it exists. */
  readonly isRequired: boolean;
}

/** Programs start at the top of the work tree, and an included file is relative to the one that includes it. */
function listNamed({ origin, key, value }: GitSetting, root: string, home: string): Named[] {
  const place = (path: string, base: string) => resolve(base, path.replace(/^~(?=\/)/, home));
  const required = (path: string): Named => ({ path, isRequired: true });
  const own = origin === '' ? [] : [required(origin)];
  if (/^include(if\..*)?\.path$/is.test(key)) return [...own, required(place(value, dirname(origin)))];
  if (key === 'core.hookspath') return [...own, required(place(value, root))];
  if (/^safe\.directory$|\.(url|pushurl|insteadof)$/.test(key)) return own;
  const words = value.split(/[\s"'=!]+/).filter(word => word.includes('/'));
  return [...own, ...words.map(word => ({ path: place(word, root), isRequired: false }))];
}

/** The path itself, or the nearest directory above it that exists below the root. */
function findExisting(path: string, root: string): string | undefined {
  for (let each = path; isBelow(each, root); each = dirname(each))
    if (lstatSync(each, { throwIfNoEntry: false })) return each;
  return undefined;
}

const isReal = (path: string): boolean => realpathSync.native(path) === path;

const isBelow = (path: string, root: string): boolean =>
  isAbsolute(path) && path !== root && path.startsWith(`${root}/`);
const isWithin = (path: string, directory: string): boolean => `${path}/`.startsWith(`${directory}/`);
