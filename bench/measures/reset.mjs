import { join } from 'node:path';
import { makeMess } from '../repository/mess.mjs';
import { requireClean } from '../repository/proof.mjs';
import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';

const PLAIN = 'git reset --hard && git clean -ffdx';

const slotResets = [
  { name: 'reset, work kept', kind: 'checkout', work: 'keep' },
  { name: 'reset, work discarded', kind: 'checkout', work: 'discard' },
  { name: 'overlay reset, work kept', kind: 'overlay', work: 'keep' },
  { name: 'overlay reset, work discarded', kind: 'overlay', work: 'discard' },
];

const rows = [
  { group: 'reset', name: PLAIN },
  ...slotResets.map(({ name }) => ({ group: 'reset', name, reference: PLAIN })),
];

/** Back to clean after 20 edits, 200 new files and a build directory of 2,000 ignored files. */
export async function measureReset({ size, repeats, pool }) {
  const worktree = join(pool.scene.home, 'plain-reset');
  await pool.scene.git('worktree', 'add', '--quiet', '--detach', worktree);
  const contestants = [
    plainGit(pool.scene, worktree, size),
    ...slotResets.map(way => slotReset(pool, way, size)),
  ];
  const contest = await interleave(contestants, repeats);
  await pool.scene.git('worktree', 'remove', '--force', worktree);
  return toFigures(rows, size, contest);
}

function plainGit(scene, worktree, size) {
  const turn = async (round, watch) => {
    makeMess(worktree, size, round);
    await watch.time(
      PLAIN,
      scene.settle,
      async () => {
        await scene.git('-C', worktree, 'reset', '--quiet', '--hard');
        await scene.git('-C', worktree, 'clean', '-ffdxq');
      },
      () => requireClean(worktree, scene.repository.head, scene.env),
    );
  };
  return { name: PLAIN, turn };
}

function slotReset(pool, { name, kind, work }, size) {
  const { scene } = pool;
  const turn = async (round, watch) => {
    const lease = await pool.acquire(kind, scene.repository.head);
    try {
      makeMess(lease.path, size, round);
      await watch.time(
        name,
        pool.settle,
        () => pool.reset(lease, work),
        () => requireClean(lease.path, scene.repository.head, scene.env),
      );
    } finally {
      await pool.release(lease, 'discard');
    }
  };
  return { name, turn };
}
