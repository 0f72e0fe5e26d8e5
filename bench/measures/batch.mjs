import { join } from 'node:path';
import { toFigures } from '../figure.mjs';
import { interleave } from '../interleave.mjs';
import { requireClean, requireFiles, requireGone } from '../proof.mjs';

const PLAIN = 'git worktree add && git worktree remove --force';
const ATTEMPT = 'attempt of an agent that does nothing';

const rows = [
  { group: 'batch', name: PLAIN },
  { group: 'batch', name: ATTEMPT, reference: PLAIN },
];

const SAMPLES_PER_ROUND = 3;

/** What a batch adds to the work of an agent: a workspace for it, the patch, a fresh workspace for the graders. */
export async function measureBatch({ size, repeats, cold }) {
  const { library, app } = await cold.openLibrary();
  const request = { context: app, isolation: 'worktree', parallelism: 2, needs: { hosts: [] } };
  const provider = library.createIsolationProvider(request);
  const { directory, head } = cold.repository;
  const task = { id: size, base: { kind: 'git', url: directory, commit: head } };
  try {
    await provider.init([task, task]);
    const contestants = [plainGit(cold, size), attempt(cold, size, provider, task)];
    return toFigures(rows, size, await interleave(contestants, repeats));
  } finally {
    await provider.destroyAll();
    await app.close();
  }
}

function plainGit(scene, size) {
  const path = join(scene.home, 'plain-attempt');
  const turn = async (_round, watch) => {
    await scene.settle();
    const start = performance.now();
    await scene.git('worktree', 'add', '--quiet', '--detach', path);
    const added = performance.now() - start;
    requireFiles(path, size);
    const again = performance.now();
    await scene.git('worktree', 'remove', '--force', path);
    watch.record(PLAIN, added + performance.now() - again);
    requireGone(path);
  };
  return { name: PLAIN, turn };
}

function attempt(scene, size, provider, task) {
  const turn = async (_round, watch) => {
    for (let sample = 0; sample < SAMPLES_PER_ROUND; sample++) {
      const patch = await watch.time(ATTEMPT, scene.settle, () => tryOnce(provider, task));
      if (patch.length > 0) throw new Error('the patch of nothing is not empty');
    }
    const environment = await provider.acquire(task);
    requireFiles(environment.workingDirectory, size);
    await requireClean(environment.workingDirectory, environment.commit, scene.env);
    await provider.release(environment);
  };
  return { name: ATTEMPT, turn };
}

async function tryOnce(provider, task) {
  const worked = await provider.acquire(task);
  await worked.endAll();
  const { patch } = await worked.collectPatch();
  await provider.release(worked);
  const graded = await provider.acquire(task);
  await provider.release(graded);
  return patch;
}
