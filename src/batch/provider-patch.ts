import { join } from 'node:path';
import { displayPath } from '../git/byte-path.js';
import { withScratchDirectory } from '../git/scratch-directory.js';
import { copyKeepingTime } from '../git/work-tree/scratch-index.js';
import { writeWorkTreeDiff } from '../git/work-tree-diff.js';
import type { Context } from '../operations/context.js';
import { type CollectedPatch, MOST_PATCH_BYTES } from './isolation-provider.js';
import { enterAdded } from './provider-added.js';
import { isUntouched } from './provider-untouched.js';
import type { SealedBase } from './sealed-base.js';
import { writeRepository } from './sealed-base-repository.js';

/** Files that somebody worked on, and an index of the base that tells by their times which of them nobody touched. */
export interface WorkedOn {
  readonly workTree: string;
  readonly indexFile: string;
  /** The git directory that the agent worked with. */
  readonly gitDir: string;
}

/**
 * What was changed since the base, found with a git directory of our own: the one beside the files was the agent's, with
 * whatever configuration, attributes and index it has put there.
 */
export async function collectPatch(
  context: Context,
  base: SealedBase,
  files: WorkedOn,
): Promise<CollectedPatch> {
  // Nor can there be anything in the agent's index then: of what it added, nothing is there.
  if (await isUntouched(files.workTree, files.indexFile, base.commit.length / 2)) return NO_CHANGES;
  return withScratchDirectory(context.places.temporaryRoot, async scratch => {
    const gitDir = join(scratch, 'git');
    await writeRepository(gitDir, base);
    const indexFile = join(gitDir, 'index');
    await copyKeepingTime(files.indexFile, indexFile);
    await enterAdded(context.git, { gitDir, indexFile }, files.gitDir);
    const chunks: Buffer[] = [];
    let bytes = 0;
    const { skipped } = await writeWorkTreeDiff(
      context.git,
      { commonDir: gitDir, gitDir, workTree: files.workTree, isForeign: true },
      { against: base.commit, format: 'patch', temporaryRoot: scratch },
      chunk => {
        bytes += chunk.length;
        if (bytes <= MOST_PATCH_BYTES) chunks.push(chunk);
      },
    );
    const left = skipped.map(displayPath);
    return bytes > MOST_PATCH_BYTES
      ? { patch: Buffer.alloc(0), skipped: left, isTooLarge: true }
      : { patch: Buffer.concat(chunks), skipped: left };
  });
}

const NO_CHANGES: CollectedPatch = { patch: Buffer.alloc(0), skipped: [] };
