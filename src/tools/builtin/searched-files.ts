import type { ToolContext } from '../define-tool.js';
import { pathWithin, resolvePath, shownPath } from '../resolve-path.js';
import { isProblem, type Problem } from '../tool-access.js';
import { createGlob } from './glob-pattern.js';

export interface SearchedFile {
  readonly path: string;
  /** The path shown to the model, which it can use again. */
  readonly shown: string;
}

export interface SearchedFiles {
  /** In the order of what is shown. */
  readonly files: readonly SearchedFile[];
  readonly isWhole: boolean;
}

/** Skipped unless named: git's own files and installed packages. */
const LEFT_OUT = ['.git', 'node_modules'];

/** The files that match a pattern, in a directory that the model named. */
export async function findFiles(
  { environment, limits, signal }: ToolContext,
  { path, pattern, withLinks }: { path: string; pattern: string | undefined; withLinks: boolean },
): Promise<SearchedFiles | Problem> {
  const { workingDirectory } = environment;
  const start = resolvePath(workingDirectory, path);
  const named = new Set([...start.split('/'), ...(pattern?.split('/') ?? [])]);
  const without = new Set(LEFT_OUT.filter(name => name === '.git' || !named.has(name)));
  const listing = await environment.files.list(start, { without, withLinks, most: limits.files, signal });
  if (isProblem(listing)) return { problem: `${path}: ${listing.problem}` };
  const fits = createGlob(pattern ?? '**/*');
  const files = listing.paths
    .filter(file => fits(pathWithin(start, file) || file.slice(file.lastIndexOf('/') + 1)))
    .map(file => ({ path: file, shown: shownPath(workingDirectory, file) }))
    .sort((a, b) => (a.shown < b.shown ? -1 : 1));
  return { files, isWhole: listing.isWhole };
}

export const NOT_ALL_FILES = '[not all files were searched; name a subdirectory]';
