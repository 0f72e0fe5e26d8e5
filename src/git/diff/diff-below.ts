import type { Git, GitOptions } from '../git.js';
import { withScratchPlace } from '../objects/scratch-place.js';
import { diffArguments } from './diff-arguments.js';
import { type WriteOutput, writeOutputTo } from './write-output.js';

export interface DiffBelowRequest {
  readonly base: string;
  readonly commit: string;
  /** The directory that comes before all paths. */
  readonly below: string;
  readonly temporaryRoot: string;
}

/** Writes the patch between two commits with all paths below a directory; nothing is written to the repository. */
export async function writeDiffBelow(
  git: Git,
  { gitDir }: { readonly gitDir: string },
  { base, commit, below, temporaryRoot }: DiffBelowRequest,
  write: WriteOutput,
): Promise<void> {
  await withScratchPlace(git, { gitDir }, temporaryRoot, async place => {
    const trees = [await treeOf(git, place, base), await treeOf(git, place, commit)];
    const compared = await compareBelow(git, place, { trees, below, arguments: diffArguments('patch') });
    await git.run(compared, { ...place, ...writeOutputTo(write) });
  });
}

export const treeOf = (git: Git, options: GitOptions, commit: string): Promise<string> =>
  git.text(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], options);

interface Compared {
  readonly trees: readonly string[];
  readonly below: string;
  readonly arguments: readonly string[];
}

/** Options for prefixes would leave out the names of renamed files and all but patches, so both trees are put into a directory. */
export async function compareBelow(
  git: Git,
  options: GitOptions,
  { trees, below, arguments: chosen }: Compared,
): Promise<string[]> {
  const wrapped: string[] = [];
  for (const tree of trees) {
    const stdin = Buffer.from(`040000 tree ${tree}\t${below}\n`);
    wrapped.push(await git.text(['mktree', '--missing'], { ...options, stdin }));
  }
  return ['diff-tree', '-r', ...chosen, ...wrapped, '--'];
}
