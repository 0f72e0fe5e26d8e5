import { nearest } from '../text/nearest-word.js';

/**
 * The words of `--isolation` in all commands; docs/guides/configuration.md has the table. `up` and tasks take no image
 * of a task and have `--copy` for a plain copy; attempts of a batch never share a checkout.
 */
const WORDS: Readonly<Record<string, string>> = {
  full: 'a worktree, with a sandbox around its commands',
  docker: 'full in a container, with the image of the task',
  worktree: 'a worktree; commands run as you',
  none: 'a plain copy; commands run as you',
  shared: 'your checkout itself; commands run as you',
};

/** Words of another command, of `workspace.strategy` or of other tools, with ours: the first that a command takes fits. */
const NEAREST: ReadonlyMap<string, readonly string[]> = new Map([
  ['docker', ['full']],
  ['podman', ['docker', 'full']],
  ['container', ['docker', 'full']],
  ['bubblewrap', ['full']],
  ['sandbox', ['full']],
  ['directory', ['none', 'worktree']],
  ['copy', ['none', 'worktree']],
  ['none', ['shared']],
  ['shared', ['none']],
]);

/** What a command that takes only the known words has instead of another one. */
export function explainIsolation(word: string, known: readonly string[]): string | undefined {
  const found = NEAREST.get(word)?.find(each => known.includes(each)) ?? nearest(word, known);
  return found && `the nearest is ${found}: ${WORDS[found]}`;
}
