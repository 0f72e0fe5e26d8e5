import { join } from 'node:path';
import { displayPath } from '../../git/byte-path.js';
import { isPlainPath } from '../../git/capture/tree-path.js';
import { diffArguments } from '../../git/diff-arguments.js';
import { type TreeFile, writeTree } from '../../git/object-writer.js';
import { writeOutputTo } from '../../git/write-output.js';
import type { Diffing } from '../backend.js';
import { requirePresent } from '../presence.js';
import type { DirectoryBackendOptions } from './backend.js';
import { compareWithBase } from './changes.js';
import { findPresence } from './registration.js';

/** The files now against the files at the beginning. Names that git refuses are `skipped`. */
export function createDirectoryDiffing(options: DirectoryBackendOptions): Diffing {
  const { git, vaultDir } = options;
  return {
    diff: async (record, format, write) => {
      requirePresent(record, await findPresence(vaultDir, record));
      return compareWithBase(options, record, async ({ objectStore, before, now }) => {
        const makeTree = (name: string, files: readonly TreeFile[]) =>
          writeTree(git, objectStore, join(objectStore, name), {
            added: files.filter(file => isPlainPath(file.path)),
          });
        const trees = [await makeTree('index-before', before), await makeTree('index-now', now)];
        await git.run(['diff-tree', '-r', ...diffArguments(format), '--end-of-options', ...trees], {
          gitDir: objectStore,
          ...writeOutputTo(write),
        });
        const skipped = now.filter(file => !isPlainPath(file.path)).map(file => displayPath(file.path));
        return { skipped };
      });
    },
  };
}
