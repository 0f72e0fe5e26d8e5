import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { makeLittleMess } from '../repository/mess.mjs';
import { requireClean } from '../repository/proof.mjs';
import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';

const PLAIN = 'git reset --hard && git clean -ffdx, in a harness';
const RESET = 'provider.reset';

const rows = [
  { group: 'provider', name: PLAIN },
  { group: 'provider', name: RESET, reference: PLAIN },
];

/** A small mess takes little to delete, so that what is left are the processes and the proof. */
const SAMPLES_PER_ROUND = 5;

/** Back to clean in a program with an isolation provider, after an agent that also worked with git. */
export async function measureProviderReset({ size, repeats, cold }) {
  const { library, app } = await cold.openLibrary();
  const provider = library.createIsolationProvider({ context: app, isolation: 'worktree', parallelism: 1 });
  const { directory, head } = cold.repository;
  const worktree = join(cold.home, 'plain-provider');
  await cold.git('worktree', 'add', '--quiet', '--detach', worktree);
  try {
    const task = { id: 'reset', repository: directory, commit: head };
    await provider.init([task]);
    const environment = await provider.acquire(task);
    const contestants = [
      contestant(cold, size, {
        name: PLAIN,
        path: worktree,
        commit: head,
        reset: () => resetPlain(cold, worktree),
      }),
      contestant(cold, size, {
        name: RESET,
        path: environment.workingDirectory,
        commit: environment.commit,
        reset: () => provider.reset(environment),
      }),
    ];
    return toFigures(rows, size, await interleave(contestants, repeats));
  } finally {
    await provider.destroyAll();
    await app.close();
    await cold.git('worktree', 'remove', '--force', worktree);
  }
}

function contestant(scene, size, { name, path, commit, reset }) {
  const git = (...args) => execFileSync('git', args, { cwd: path, env: scene.env, stdio: 'ignore' });
  const turn = async (round, watch) => {
    for (let sample = 0; sample < SAMPLES_PER_ROUND; sample++) {
      makeLittleMess(path, size, `${round}-${sample}`, git);
      await watch.time(
        name,
        () => undefined,
        reset,
        () => requireClean(path, commit, scene.env),
      );
    }
  };
  return { name, turn };
}

/** The branch, the stash and the configuration stay. */
async function resetPlain(scene, worktree) {
  await scene.git('-C', worktree, 'reset', '--quiet', '--hard', scene.repository.head);
  await scene.git('-C', worktree, 'clean', '-ffdxq');
}
