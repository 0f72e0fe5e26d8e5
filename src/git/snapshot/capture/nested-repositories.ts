import { relative } from 'node:path';
import { type BytePath, toBytePath } from '../../byte-path.js';
import { walkWorkTree } from '../../files/walk.js';
import { findGitDirectory } from '../../work-tree/submodule-state.js';
import type { WorkTreePlace } from '../../work-tree-place.js';
import { type RawFile, toRawFile, toRawFiles } from '../raw-files.js';

export interface NestedFiles {
  readonly files: readonly RawFile[];
  readonly directories: ReadonlyMap<BytePath, number>;
  readonly emptyDirectories: readonly BytePath[];
  readonly special: readonly BytePath[];
  /** Repositories whose git directory lay elsewhere and is listed as their `.git`. */
  readonly absorbed: readonly BytePath[];
}

/**
 * Everything in a nested repository. A submodule of a linked worktree has its git directory in the
 * worktree's admin directory, which is deleted with it: that directory is listed as the submodule's `.git`.
 */
export async function listNestedFiles(place: WorkTreePlace, directory: BytePath): Promise<NestedFiles> {
  const found = await walkWorkTree(place.workTree, null, directory, place.leftOut);
  const linked = findLinkedDirectories(place, found.files.keys());
  const parts = await Promise.all(
    [...linked].map(([path, gitDir]) => listGitDirectory(path, gitDir, linked)),
  );
  const own = toRawFiles(place.workTree, found).filter(
    file => !linked.has(repositoryOf(file.path)) || !isDotGit(file.path),
  );
  return {
    files: [...own, ...parts.flatMap(part => part.files)],
    directories: new Map([...found.directories, ...parts.flatMap(part => part.directories)]),
    emptyDirectories: [...found.emptyDirectories, ...parts.flatMap(part => part.emptyDirectories)],
    special: found.special,
    absorbed: [...linked.keys()],
  };
}

const isDotGit = (path: BytePath): boolean => path.endsWith('/.git');
const repositoryOf = (path: BytePath): BytePath => path.slice(0, -'/.git'.length);

/** Repositories whose `.git` is a file that leads into the modules of the work tree's own git directory. */
function findLinkedDirectories(place: WorkTreePlace, paths: Iterable<BytePath>): Map<BytePath, string> {
  const linked = new Map<BytePath, string>();
  for (const path of paths) {
    if (!isDotGit(path)) continue;
    const gitDir = findGitDirectory(place, repositoryOf(path));
    if (gitDir?.startsWith(`${place.gitDir}/modules/`)) linked.set(repositoryOf(path), gitDir);
  }
  return linked;
}

/** A git directory as `.git`, without those inside it that become a separate `.git`. */
async function listGitDirectory(repository: BytePath, gitDir: string, linked: ReadonlyMap<BytePath, string>) {
  const found = await walkWorkTree(gitDir, null);
  const others = [...linked.values()]
    .filter(other => other.startsWith(`${gitDir}/`))
    .map(other => toBytePath(relative(gitDir, other)));
  const isOwn = (path: BytePath) => !others.some(other => path === other || path.startsWith(`${other}/`));
  const rename = (path: BytePath) => (path === '' ? `${repository}/.git` : `${repository}/.git/${path}`);
  return {
    files: [...found.files]
      .filter(([path]) => isOwn(path))
      .map(([path, file]) => ({ ...toRawFile(gitDir, path, file), path: rename(path) })),
    directories: [...found.directories]
      .filter(([path]) => isOwn(path))
      .map(([path, mode]) => [rename(path), mode] as const),
    emptyDirectories: found.emptyDirectories.filter(isOwn).map(rename),
  };
}
