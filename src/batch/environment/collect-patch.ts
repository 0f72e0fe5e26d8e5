import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCarrelError } from '../../domain/error/error.js';
import { displayPath } from '../../git/byte-path.js';
import { writeWorkTreeDiff } from '../../git/diff/work-tree-diff.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { copyKeepingTime, keepTime } from '../../git/index/scratch-index.js';
import type { Context } from '../../operations/context.js';
import type { SealedBase } from '../base/sealed-base.js';
import { writeRepository } from '../base/sealed-base-repository.js';
import { type CollectedPatch, MOST_PATCH_BYTES } from '../isolation-provider.js';
import { enterAdded } from './patch-added-files.js';
import { isUntouched } from './untouched-work-tree.js';

/** Files that an agent worked on, and an index of the base that shows by their times which of them are untouched. */
export interface WorkedOn {
  readonly workTree: string;
  readonly indexFile: string;
  /** The git directory that the agent worked with. */
  readonly gitDir: string;
}

/**
 * What changed since the base, found with Carrel's own git directory: the one next to the files belonged to the agent, with
 * any configuration, attributes and index that it put there.
 */
export async function collectPatch(
  context: Pick<Context, 'git' | 'places'>,
  base: SealedBase,
  files: WorkedOn,
): Promise<CollectedPatch> {
  // The agent's index cannot add anything then: no added file exists.
  if (await isUntouched(files.workTree, files.indexFile, base.commit.length / 2)) return NO_CHANGES;
  return withScratchDirectory(context.places.temporaryRoot, async scratch => {
    const gitDir = join(scratch, 'git');
    await writeRepository(gitDir, base);
    const indexFile = join(gitDir, 'index');
    await copyKeepingTime(files.indexFile, indexFile);
    await enterAdded(context.git, { gitDir, indexFile }, files.gitDir);
    await keepTime(files.indexFile, indexFile);
    const write = () => writePatch(context, { gitDir, workTree: files.workTree, scratch }, base.commit);
    return write().catch(async error => {
      if (!isCarrelError(error, 'GIT_FAILED')) throw error;
      await ignoreEncodings(gitDir);
      const collected = await write();
      return { ...collected, isRaw: true };
    });
  });
}

/**
 * An agent that wrote a `.gitattributes` with an encoding that its files do not have makes them unreadable for git. Its
 * files are then read byte by byte, as its tests saw them.
 */
async function ignoreEncodings(gitDir: string): Promise<void> {
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await appendFile(join(gitDir, 'info', 'attributes'), '\n* !working-tree-encoding\n');
}

interface PatchPlace {
  readonly gitDir: string;
  readonly workTree: string;
  readonly scratch: string;
}

async function writePatch(
  { git }: Pick<Context, 'git'>,
  { gitDir, workTree, scratch }: PatchPlace,
  against: string,
): Promise<CollectedPatch> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { skipped } = await writeWorkTreeDiff(
    git,
    { commonDir: gitDir, gitDir, workTree, isForeign: true },
    { against, format: 'patch', temporaryRoot: scratch },
    chunk => {
      bytes += chunk.length;
      if (bytes <= MOST_PATCH_BYTES) chunks.push(chunk);
    },
  );
  const left = skipped.map(displayPath);
  return bytes > MOST_PATCH_BYTES
    ? { patch: Buffer.alloc(0), skipped: left, isTooLarge: true }
    : { patch: Buffer.concat(chunks), skipped: left };
}

const NO_CHANGES: CollectedPatch = { patch: Buffer.alloc(0), skipped: [] };
