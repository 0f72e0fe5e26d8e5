import type { Git } from '../../git/git.js';
import type { IncomingRepository } from './incoming-repository.js';

export interface NewCommit {
  readonly id: string;
  readonly parents: readonly string[];
}

/**
 * Commits that the tip brings and that no branch, remote branch or tag of the repository has, newest first; one more
 * than `limit` at most. `known` are further commits to exclude.
 */
export async function listNewCommits(
  git: Git,
  { options }: IncomingRepository,
  tip: string,
  known: readonly string[],
  limit: number,
): Promise<NewCommit[]> {
  const range = [tip, '--not', '--alternate-refs', ...known];
  const text = await git.text(['rev-list', '--parents', `--max-count=${limit + 1}`, ...range], options);
  return text.split('\n').filter(Boolean).map(parseCommit);
}

function parseCommit(line: string): NewCommit {
  const [id = '', ...parents] = line.split(' ');
  return { id, parents };
}
