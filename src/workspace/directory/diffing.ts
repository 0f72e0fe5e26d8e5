import { join } from 'node:path';
import { displayPath } from '../../git/byte-path.js';
import { rawAndOutput } from '../../git/diff/diff-arguments.js';
import { separateRaw } from '../../git/diff/raw-and-output.js';
import { writeOutputTo } from '../../git/diff/write-output.js';
import { isPlainPath } from '../../git/files/tree-path.js';
import { type TreeFile, writeTree } from '../../git/objects/write-objects.js';
import type { Diffing } from '../backend.js';
import { requirePresent } from '../location/presence.js';
import type { DirectoryBackendOptions } from './backend.js';
import { compareReadable } from './directory-changes.js';
import { findPresence } from './registration.js';

/** The current files compared with those at creation. Names that git refuses, and what can't be read, are `skipped`. */
export function createDirectoryDiffing(options: DirectoryBackendOptions): Diffing {
  const { git, vaultDir } = options;
  return {
    diff: async (record, format, write) => {
      requirePresent(record, await findPresence(vaultDir, record));
      return compareReadable(options, record, async ({ objectStore, before, now, leftOut }) => {
        const makeTree = (name: string, files: readonly TreeFile[]) =>
          writeTree(git, objectStore, join(objectStore, name), {
            added: files.filter(file => isPlainPath(file.path)),
          });
        const trees = [await makeTree('index-before', before), await makeTree('index-now', now)];
        const { read, changed } = separateRaw(format, write);
        await git.run(['diff-tree', '-r', ...rawAndOutput(format), '--end-of-options', ...trees], {
          gitDir: objectStore,
          ...writeOutputTo(read),
        });
        const refused = now.filter(file => !isPlainPath(file.path)).map(file => file.path);
        return { skipped: [...refused, ...leftOut].map(displayPath), changed: changed.map(displayPath) };
      });
    },
  };
}
