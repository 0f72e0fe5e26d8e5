import { makeMess } from '../repository/mess.mjs';
import { createPoolClient } from '../scene/pool.mjs';
import { installCountingGit } from '../system/counting-git.mjs';
import { countStoreCommits } from '../system/store-commits.mjs';
import { toFigures } from '../timing/figure.mjs';

/** How many git processes an operation starts and how often it commits to the store; what runs on after it included. */
export async function measureProcesses({ size, counted }) {
  const counters = {
    'git processes': installCountingGit(counted),
    'store commits': () => countStoreCommits(counted),
  };
  const count = () => Object.values(counters).map(counter => counter());
  // Keeps the store's log from being deleted between commands.
  const { app } = await counted.openLibrary();
  const pool = createPoolClient(counted);
  // What this process captures and deletes by itself must not be counted with the next operation.
  const settle = () => pool.settle().catch(counted.settle);
  const figures = [];
  await settle();
  for (const [name, action] of operations(counted, pool)) {
    const before = count();
    const failure = await action().then(
      () => undefined,
      error => error.message,
    );
    const inFront = count();
    await settle();
    const after = count();
    Object.keys(counters).forEach((unit, index) => {
      const row = { group: unit, unit, name, background: after[index] - inFront[index] };
      const samples = failure === undefined ? [[name, [inFront[index] - before[index]]]] : [];
      figures.push(
        ...toFigures([row], size, { samples: new Map(samples), failures: new Map([[name, failure]]) }),
      );
    });
  }
  await pool.close();
  await app.close();
  return figures;
}

const emptyCommit = 'git -c user.name=a -c user.email=a@example.com commit --allow-empty --message empty';

/** In this order: each finds what the one before has left. */
function operations(scene, pool) {
  const { head, near } = scene.repository;
  let lease;
  const take = (kind, commit) => async () => {
    lease = undefined;
    lease = await pool.acquire(kind, commit);
  };
  const withLease = action => async () => {
    if (!lease) throw new Error('there is no slot');
    await action();
  };
  const giveBack = withLease(() => pool.release(lease));
  const resetMess = withLease(async () => {
    makeMess(lease.path, scene.repository.sizeName, 0);
    await pool.reset(lease, 'keep');
  });
  return [
    ['carrel ls --fast', () => scene.carrel('ls', '--fast')],
    ['carrel up, cold', () => scene.carrel('up', 'cold')],
    ['carrel path', () => scene.carrel('path', 'cold')],
    ['carrel ls, one workspace', () => scene.carrel('ls')],
    ['carrel down, clean', () => scene.carrel('down', 'cold')],
    ['carrel pool warm 1', () => scene.carrel('pool', 'warm', '1', '--kind', 'checkout')],
    ['carrel up, with a spare', () => scene.carrel('up', 'spare')],
    ['carrel down of a spare', () => scene.carrel('down', 'spare')],
    ['first acquire', take('checkout', head)],
    ['release, untouched', giveBack],
    ['acquire, same commit', take('checkout', head)],
    ['reset, work kept', resetMess],
    ['release after a reset', giveBack],
    ['acquire, near commit', take('checkout', near)],
    ['release at the near commit', giveBack],
    ['first overlay acquire', take('overlay', head)],
    ['overlay release, untouched', giveBack],
    ['overlay acquire', take('overlay', head)],
    ['overlay reset, work kept', resetMess],
    ['overlay release after a reset', giveBack],
    ['carrel up, full', () => scene.carrel('up', 'full', '--isolation', 'full', '--strict')],
    ['carrel exec, full', () => scene.carrel('exec', 'full', '--', 'true')],
    ['carrel exec of a commit, full', () => scene.carrel('exec', 'full', '--', 'sh', '-c', emptyCommit)],
    ['carrel down, full', () => scene.carrel('down', 'full', '--discard-commits')],
  ];
}
