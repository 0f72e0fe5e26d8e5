import type { Git } from './git.js';
import { type GitRepository, locateGitRepository } from './locate.js';

/** Finds repositories. The answer to one question can be prepared before it is asked. */
export interface Locator {
  readonly locate: (path: string) => Promise<GitRepository>;
  /** Starts git now, for whoever is the first to ask for this path; everybody after gets an answer of their own. */
  readonly begin: (path: string) => void;
}

export function createLocator(git: Git): Locator {
  const begun = new Map<string, Promise<GitRepository>>();
  return {
    locate: path => {
      const answer = begun.get(path) ?? locateGitRepository(git, path);
      begun.delete(path);
      return answer;
    },
    begin: path => {
      const answer = locateGitRepository(git, path);
      // Whoever asks hears of a failure; when nobody does, it does not matter.
      answer.catch(() => undefined);
      begun.set(path, answer);
    },
  };
}
