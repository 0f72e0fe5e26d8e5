import type { BytePath } from './byte-path.js';
import type { InspectionMeter } from './files/inspection-meter.js';

/** One checkout of a repository: its files, its own git directory, and the git directory that all checkouts share. */
export interface WorkTreePlace {
  readonly commonDir: string;
  /** The admin directory of a linked worktree; the same as `commonDir` for the main one. */
  readonly gitDir: string;
  /** Where the files are now; need not be where git thinks they are, and need not exist. */
  readonly workTree: string;
  /** A top-level name that belongs to another tool and is not part of the work, as `.git` belongs to git. */
  readonly apart?: string | undefined;
  /**
   * Whether the files were written by code that must not control our git. Then git never sees them in place (see
   * foreign-files.ts), nested repositories are plain files, and no link is followed.
   */
  readonly isForeign?: boolean | undefined;
  /** Files and directories to skip because they can't be read. */
  readonly leftOut?: ReadonlySet<BytePath> | undefined;
  /** Limit on the cost of an inspection; none by default. */
  readonly meter?: InspectionMeter | undefined;
}

/** Whether a path is left out, or is in a directory that is. */
export function isLeftOut({ leftOut }: Pick<WorkTreePlace, 'leftOut'>, path: BytePath): boolean {
  if (!leftOut || leftOut.size === 0) return false;
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (leftOut.has(path.slice(0, end))) return true;
  return false;
}
