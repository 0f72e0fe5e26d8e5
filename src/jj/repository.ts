import { createHash } from 'node:crypto';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { carrelError, ignoreMissing } from '../domain/error/error.js';

/** A jj repository, found from a directory. All paths are real and absolute. */
export interface JjRepository {
  readonly id: string;
  readonly name: string;
  /** The workspace that the repository was created in. */
  readonly root: string;
  /** The git directory that jj keeps its commits in. */
  readonly commonDir: string;
  /** The workspace that contains the directory, or null when it is the first one. */
  readonly linkedWorktree: string | null;
}

/** Whether the nearest repository at or above a directory uses jj; colocated ones do. */
export async function isInJjWorkspace(path: string): Promise<boolean> {
  return (await findWorkspaceRoot(path)) !== undefined;
}

/**
 * The jj repository at or above a directory. Read from its files, so that it works without jj.
 * NOT_A_REPOSITORY, UNSUPPORTED_REPOSITORY.
 */
export async function locateJjRepository(path: string): Promise<JjRepository> {
  const workspace = await findWorkspaceRoot(path);
  if (workspace === undefined) throw carrelError('NOT_A_REPOSITORY', { path });
  const repo = await findRepo(join(workspace, '.jj'));
  const root = dirname(dirname(repo));
  const commonDir = await findGitDirectory(repo, root);
  return {
    // As for git, so that git and jj workspaces of a colocated repository belong together.
    id: createHash('sha256').update(commonDir).digest('hex').slice(0, 16),
    name: basename(root) || 'root',
    root,
    commonDir,
    linkedWorktree: workspace === root ? null : workspace,
  };
}

/** Colocated: git works in the first workspace too, and jj keeps git's HEAD and refs up to date there. */
export const isColocated = ({ root, commonDir }: Pick<JjRepository, 'root' | 'commonDir'>): boolean =>
  commonDir === join(root, '.git');

/** A git repository further down is nearer, and wins. */
async function findWorkspaceRoot(path: string): Promise<string | undefined> {
  // A path that is not a directory is reported by the next caller.
  const directory = await realpath(path).catch(() => undefined);
  for (let at = directory; at !== undefined; at = dirname(at) === at ? undefined : dirname(at)) {
    // An empty one belongs to a sandbox's own jj.
    if (await lstat(join(at, '.jj', 'repo')).catch(() => undefined)) return at;
    if (await lstat(join(at, '.git')).catch(ignoreMissing)) return undefined;
  }
  return undefined;
}

/** In the first workspace `repo` is the repository itself, in all others a file with its path. */
async function findRepo(jjDir: string): Promise<string> {
  const repo = join(jjDir, 'repo');
  const info = await lstat(repo).catch(ignoreMissing);
  if (info?.isDirectory()) return repo;
  const pointer = info?.isFile() ? await readFile(repo, 'utf8') : '';
  const target = await realpath(resolve(jjDir, pointer.trim())).catch(ignoreMissing);
  if (pointer === '' || target === undefined) throw carrelError('NOT_A_REPOSITORY', { path: dirname(jjDir) });
  return target;
}

async function findGitDirectory(repo: string, root: string): Promise<string> {
  const store = join(repo, 'store');
  const target = await readFile(join(store, 'git_target'), 'utf8').catch(ignoreMissing);
  const commonDir = target && (await realpath(resolve(store, target.trim())).catch(ignoreMissing));
  if (commonDir) return commonDir;
  throw carrelError('UNSUPPORTED_REPOSITORY', {
    path: root,
    feature: 'a jj store other than git',
    remedy: 'create a repository with a git store with: jj git init',
  });
}
