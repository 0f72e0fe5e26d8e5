import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { Git } from '../git.js';
import { findPlainRepository } from './plain-repository.js';

/** A git repository found from a directory. All paths are real and absolute. */
export interface GitRepository {
  readonly id: string;
  readonly name: string;
  /** The main work tree. */
  readonly root: string;
  readonly commonDir: string;
  /** The linked worktree that contains the directory, or null in the main one. */
  readonly linkedWorktree: string | null;
}

/** The repository at or above a directory. */
export async function locateGitRepository(git: Git, path: string): Promise<GitRepository> {
  const directory = await requireDirectory(path);
  const plain = findPlainRepository(directory);
  if (plain) {
    const { commonDir, root } = plain;
    return identify({ commonDir, root, linkedWorktree: plain.gitDir === commonDir ? null : plain.topLevel });
  }
  const found = await describe(git, directory);
  if (!found) throw await explainFailure(git, directory);
  if (found.bare) throw carrelError('BARE_REPOSITORY', { path: found.commonDir });
  const linked = found.gitDir !== found.commonDir;
  const root = linked ? await findMainWorktree(git, found.commonDir) : found.topLevel;
  if (!root) throw carrelError('BARE_REPOSITORY', { path: found.commonDir });
  return identify({ commonDir: found.commonDir, root, linkedWorktree: linked ? found.topLevel : null });
}

const identify = (found: Omit<GitRepository, 'id' | 'name'>): GitRepository => ({
  id: createHash('sha256').update(found.commonDir).digest('hex').slice(0, 16),
  name: basename(found.root) || 'root',
  ...found,
});

export async function requireDirectory(path: string): Promise<string> {
  // Not awaited, so that callers that start early get git running before others need this thread.
  if (!isDirectory(path)) throw carrelError('NO_SUCH_DIRECTORY', { path });
  return realpathSync.native(path);
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

interface Description {
  readonly bare: boolean;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly topLevel: string;
}

async function describe(
  git: Git,
  cwd: string,
  config: readonly string[] = [],
): Promise<Description | undefined> {
  const questions = ['--is-bare-repository', '--git-dir', '--git-common-dir', '--show-toplevel'];
  const result = await git.run(['rev-parse', '--path-format=absolute', ...questions], {
    cwd,
    config,
    answers: [0, 128],
  });
  const answers = result.stdout.toString('utf8').split('\n');
  // One line each, and the end. git itself has bugs with such paths.
  if (answers.length > questions.length + 1) throw lineBreakIn(cwd);
  const [bare, gitDir, commonDir, topLevel] = answers;
  if (!gitDir || !commonDir) return undefined;
  // The last query fails without a work tree: in a bare repository, and inside .git, where the parent is used.
  if (!topLevel && bare === 'false') return describe(git, await realpath(`${commonDir}/..`), config);
  return {
    bare: bare === 'true',
    gitDir: await realpath(gitDir),
    commonDir: await realpath(commonDir),
    topLevel: topLevel ?? '',
  };
}

const lineBreakIn = (path: string) =>
  carrelError('INVALID_INPUT', {
    what: 'the path of the repository',
    found: JSON.stringify(path),
    expected: 'one without line breaks',
  });

/**
 * git gives the same exit status for "no repository" and "not yours". Only the second goes away when every directory
 * is declared safe, which git heeds from the command line but not from a repository's own configuration.
 */
async function explainFailure(git: Git, directory: string) {
  const foreign = await describe(git, directory, ['safe.directory=*']).catch(() => undefined);
  return foreign
    ? carrelError('UNSAFE_REPOSITORY', { path: foreign.topLevel || foreign.commonDir })
    : carrelError('NOT_A_REPOSITORY', { path: directory });
}

async function findMainWorktree(git: Git, commonDir: string): Promise<string | undefined> {
  const [main] = await listWorktrees(git, commonDir);
  return main && !main.bare ? main.path : undefined;
}

export interface Worktree {
  readonly path: string;
  readonly head: string | null;
  /** Full ref name; null when detached. */
  readonly branch: string | null;
  readonly bare: boolean;
}

/** All work trees of a repository, the main one first. */
export async function listWorktrees(git: Git, commonDir: string): Promise<Worktree[]> {
  const text = await git.text(['worktree', 'list', '--porcelain', '-z'], {
    gitDir: commonDir,
    cwd: commonDir,
  });
  return text
    .split('\0\0')
    .filter(Boolean)
    .map(block => {
      const lines = block.split('\0');
      const value = (key: string) =>
        lines.find(line => line.startsWith(`${key} `))?.slice(key.length + 1) ?? null;
      return {
        path: value('worktree') ?? '',
        head: value('HEAD'),
        branch: value('branch'),
        bare: lines.includes('bare'),
      };
    });
}
