import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireSuccess } from '../../scene/sandbox.mjs';
import { removeDirectory } from '../../system/remove-directory.mjs';
import { toFigures } from '../../timing/figure.mjs';
import { interleave } from '../../timing/interleave.mjs';

const CLONE = 'git clone --shared && git read-tree HEAD';
const PRIVATE = 'private git directory';
const STATUS = 'git status on the host';
const FIRST_STATUS = 'first git status inside';

const rows = [
  { group: 'private git', name: CLONE },
  { group: 'private git', name: PRIVATE, reference: CLONE },
  { group: 'private git', name: STATUS },
  { group: 'private git', name: FIRST_STATUS, reference: STATUS, by: PRIVATE },
];

/** A git directory that borrows the parent's objects and knows the files of the worktree. */
export async function measurePrivateGit({ size, repeats, bubblewrap }) {
  const { scene } = bubblewrap;
  const contestants = [sharedClone(scene), plainStatus(bubblewrap), privateGit(bubblewrap)];
  return toFigures(rows, size, await interleave(contestants, repeats));
}

/** Git has no way to take over an index, so it has to make one. */
function sharedClone(scene) {
  const path = join(scene.home, 'clone');
  const turn = async (_round, watch) => {
    await watch.time(
      CLONE,
      scene.settle,
      async () => {
        await scene.git('clone', '--quiet', '--shared', '--no-checkout', scene.repository.directory, path);
        await scene.git('-C', path, 'read-tree', 'HEAD');
      },
      () => requireIndex(join(path, '.git')),
    );
    removeDirectory(path);
  };
  return { name: CLONE, turn };
}

function plainStatus(bubblewrap) {
  const { scene } = bubblewrap;
  const turn = async (_round, watch) => {
    const { path } = await bubblewrap.workspace('at-rest');
    await watch.time(STATUS, scene.settle, () => scene.git('-C', path, 'status', '--porcelain'));
  };
  return { name: STATUS, turn };
}

function privateGit(bubblewrap) {
  const { scene } = bubblewrap;
  const turn = async (_round, watch) => {
    const record = await bubblewrap.workspace('at-rest');
    const { sandboxes } = await bubblewrap.open();
    const { gitDir } = sandboxes.placeOf(record.id);
    removeDirectory(gitDir);
    await watch.time(
      PRIVATE,
      scene.settle,
      () => sandboxes.create(record),
      () => requireIndex(gitDir),
    );
    const sandbox = await bubblewrap.openSandbox(record);
    const status = await watch.time(FIRST_STATUS, scene.settle, () =>
      sandbox.run({ command: ['git', 'status', '--porcelain'] }),
    );
    const changes = String(requireSuccess(status).stdout);
    if (changes !== '') throw new Error(`it is not clean inside: ${changes.split('\n', 1)[0]}`);
  };
  return { name: PRIVATE, turn };
}

function requireIndex(gitDir) {
  if (!existsSync(join(gitDir, 'index'))) throw new Error(`${gitDir} has no index`);
}
