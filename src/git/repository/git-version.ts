import { carrelError } from '../../domain/error/error.js';
import type { Git } from '../git.js';

/** `git merge-tree --write-tree`, which landing and the conflict column need, came with 2.38. */
export const OLDEST_GIT = [2, 38] as const;

export async function readGitVersion(git: Git, cwd: string): Promise<string> {
  const text = await git.text(['version'], { cwd });
  return /\d+\.\d+(\.\d+)*/.exec(text)?.[0] ?? text;
}

export function isGitRecentEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1]);
}

export async function requireGitVersion(git: Git, cwd: string): Promise<void> {
  const found = await readGitVersion(git, cwd);
  if (!isGitRecentEnough(found)) throw carrelError('GIT_TOO_OLD', { found, expected: OLDEST_GIT.join('.') });
}
