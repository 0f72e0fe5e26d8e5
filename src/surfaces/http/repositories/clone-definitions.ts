import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../../../domain/error/error.js';
import { withScratchDirectory } from '../../../git/disk/scratch-directory.js';
import type { Git } from '../../../git/git.js';

/** The directory of a repository's workflows, agents and configuration, in a clone as in a checkout. */
const DEFINITIONS = '.carrel';

/** Writes the definitions of a commit to the work tree of a clone, if they have changed. */
export async function bringDefinitions(git: Git, directory: string, commit: string): Promise<void> {
  const gitDir = join(directory, '.git');
  const note = join(gitDir, 'carrel-definitions');
  const tree = await findTree(git, gitDir, commit);
  if ((await readFile(note, 'utf8').catch(ignoreMissing)) === tree) return;
  await rm(note, { force: true });
  await withScratchDirectory(gitDir, async scratch => {
    const draft = join(scratch, DEFINITIONS);
    await mkdir(draft);
    if (tree !== '')
      await checkOut(git, { gitDir, workTree: draft, indexFile: join(scratch, 'index') }, tree);
    await rm(join(directory, DEFINITIONS), { recursive: true, force: true });
    await rename(draft, join(directory, DEFINITIONS));
  });
  await writeFile(note, tree);
}

/** Empty if the commit has no such directory. */
async function findTree(git: Git, gitDir: string, commit: string): Promise<string> {
  const entry = await git.text(['ls-tree', '-d', '-z', commit, DEFINITIONS], { gitDir });
  return /^040000 tree ([0-9a-f]+)\t/.exec(entry)?.[1] ?? '';
}

async function checkOut(
  git: Git,
  place: { readonly gitDir: string; readonly workTree: string; readonly indexFile: string },
  tree: string,
): Promise<void> {
  await git.run(['read-tree', '--end-of-options', tree], place);
  // A link could point to any file on the machine of the server.
  await git.run(['checkout-index', '--all', '--force'], { ...place, config: ['core.symlinks=false'] });
}
