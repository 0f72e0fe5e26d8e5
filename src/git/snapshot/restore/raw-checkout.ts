import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BytePath, toBytes } from '../../byte-path.js';
import { withScratchDirectory } from '../../disk/scratch-directory.js';
import type { Git, GitOptions } from '../../git.js';

export interface RawCheckout {
  /** Git directory that has the objects. */
  readonly objectStore: string;
  /** Id of a commit or tree. */
  readonly tree: string;
  /** An existing directory; existing files are an error and never overwritten. */
  readonly directory: string;
  /** Paths of the tree that are not written. */
  readonly without?: readonly BytePath[];
  readonly temporaryRoot: string;
}

/**
 * Writes the files of a tree byte for byte. git does it in a temporary git directory whose attributes override all others,
 * so that no line ending is changed and no program runs, regardless of the repository's configuration.
 */
export async function checkOutRaw(git: Git, checkout: RawCheckout): Promise<void> {
  await withScratchDirectory(checkout.temporaryRoot, async scratch => {
    await makeGitDirectory(scratch, checkout.tree.length === 64 ? 'sha256' : 'sha1');
    const options: GitOptions = {
      gitDir: scratch,
      workTree: checkout.directory,
      scratchObjects: { directory: join(checkout.objectStore, 'objects'), alternates: [] },
      // Several workers when there are enough files to pay off.
      config: [
        'core.protectNTFS=false',
        'core.protectHFS=false',
        'core.splitIndex=false',
        'checkout.workers=0',
      ],
    };
    await git.run(['read-tree', checkout.tree], options);
    const stdin = toBytes((checkout.without ?? []).map(path => `${path}\0`).join(''));
    await git.run(['update-index', '--force-remove', '-z', '--stdin'], { ...options, stdin });
    await git.run(['checkout-index', '--all'], options);
  });
}

const ATTRIBUTES = '* -text -ident !filter !working-tree-encoding\n';

async function makeGitDirectory(directory: string, objectFormat: string): Promise<void> {
  const isDefault = objectFormat === 'sha1';
  const core = `[core]\n\trepositoryformatversion = ${isDefault ? 0 : 1}\n\tfilemode = true\n\tsymlinks = true\n\tignorecase = false\n`;
  const extensions = isDefault ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`;
  await mkdir(join(directory, 'refs'));
  await mkdir(join(directory, 'info'));
  await writeFile(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(directory, 'config'), `${core}${extensions}`);
  await writeFile(join(directory, 'info', 'attributes'), ATTRIBUTES);
}
