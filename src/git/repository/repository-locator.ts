import type { Git } from '../git.js';
import { type GitRepository, locateGitRepository } from './locate-git-repository.js';

/** Finds repositories. The answer for one path can be prepared in advance. */
export interface Locator {
  readonly locate: (path: string) => Promise<GitRepository>;
  /** Starts git now for the first call with this path; later calls locate again. */
  readonly begin: (path: string) => void;
}

export function createRepositoryLocator(git: Git): Locator {
  const begun = new Map<string, Promise<GitRepository>>();
  return {
    locate: path => {
      const answer = begun.get(path) ?? locateGitRepository(git, path);
      begun.delete(path);
      return answer;
    },
    begin: path => {
      const answer = locateGitRepository(git, path);
      // The caller gets the failure; without a caller it does not matter.
      answer.catch(() => undefined);
      begun.set(path, answer);
    },
  };
}
