import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../repository/history.mjs';
import { requireClean, requireFiles, requireGone } from '../repository/proof.mjs';
import { repositorySizes } from '../repository/repository-sizes.mjs';
import { toFigures } from '../timing/figure.mjs';
import { interleave } from '../timing/interleave.mjs';

const PLAIN = 'git worktree add && git worktree remove --force';
const ATTEMPT = 'attempt of an agent that does nothing';
const FIRST = 'the same, first attempt of its task';
const ONCE = 'a whole batch, without its attempts';

const rows = [
  { group: 'batch', name: PLAIN },
  { group: 'batch', name: ATTEMPT, reference: PLAIN },
  { group: 'batch', name: FIRST, reference: PLAIN },
  { group: 'batch', name: ONCE, reference: PLAIN, by: ATTEMPT },
];

const ATTEMPTS_PER_ROUND = 5;
const TASKS_PER_ROUND = 2;

/**
 * What a batch adds to the work of an agent: a workspace for it, the patch, a fresh workspace for the graders, and all
 * that is written down. Real batches, one attempt at a time, with an agent that does nothing and a grader that looks for
 * one file. One-time costs of a batch are reported separately, and so are attempts of tasks that nothing is
 * warm for yet.
 */
export async function measureBatch({ size, repeats, cold }) {
  const { library, app } = await cold.openLibrary();
  await app.close();
  const carrel = await library.createCarrel({
    environment: cold.env,
    repository: cold.repository.directory,
  });
  const dataset = await writeDataset(cold, size);
  const run = (agent, wishes, observer) =>
    carrel.batches.run({ dataset, agent, isolation: 'worktree', ...wishes }, { observer });
  try {
    // Mirrors and sealed bases are made once, and kept between runs.
    requireRecords(await run(lookingAgent(cold, size), { attempts: 2 }), 2 * TASKS_PER_ROUND);
    const contestants = [plainGit(cold, size), oneTask(cold, run), manyTasks(cold, run)];
    return toFigures(rows, size, await interleave(contestants, repeats));
  } finally {
    await carrel.close();
  }
}

/** One task for each of the last commits. */
async function writeDataset({ home, repository, askGit }, size) {
  const file = join(home, 'batch.json');
  const path = pathOf(repositorySizes[size].files - 1);
  const commits = await askGit('rev-list', `--max-count=${TASKS_PER_ROUND}`, repository.head);
  const items = commits.split('\n').map((commit, at) => ({
    id: `task-${at}`,
    description: 'do nothing',
    base: { kind: 'git', url: repository.directory, commit },
    graders: [{ kind: 'files', expect: [{ kind: 'file-exists', path }] }],
  }));
  writeFileSync(file, JSON.stringify({ name: 'nothing', items }));
  return file;
}

/** Finds its workspace as it should be, and then leaves it otherwise: the next one must not see any of that. */
const lookingAgent = (scene, size) => ({
  name: 'looking',
  fingerprint: 'looking',
  version: null,
  needs: { hosts: [], variables: [] },
  attempt: async ({ environment }) => {
    requireFiles(environment.workingDirectory, size);
    await requireClean(environment.workingDirectory, environment.commit, scene.env);
    writeFileSync(join(environment.workingDirectory, 'left'), 'left\n');
    return { ending: 'done', exitCode: null, usage: NO_USAGE, message: null, findings: [] };
  },
});

const NO_USAGE = { inputTokens: 0, outputTokens: 0, costUsd: null };

/** The graders saw the files, and what happened is on the disk. */
function requireRecords({ directory, attempts }, count) {
  const passed = attempts.filter(({ outcome }) => outcome === 'passed').length;
  const lines = readFileSync(join(directory, 'index.jsonl'), 'utf8').trimEnd().split('\n').length;
  if (passed !== count || lines !== count)
    throw new Error(`${passed} attempts passed and ${lines} were recorded, expected ${count} of each`);
  for (const { patchPath } of attempts)
    if (!existsSync(join(directory, patchPath))) throw new Error(`${patchPath} is missing`);
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

function oneTask(scene, run) {
  const turn = async (_round, watch) => {
    const wishes = { attempts: ATTEMPTS_PER_ROUND, filter: { taskIds: ['task-0'] } };
    const { attempts, total } = await timeAttempts(scene, run, wishes, ATTEMPTS_PER_ROUND);
    for (const elapsed of attempts) watch.record(ATTEMPT, elapsed);
    watch.record(ONCE, total - attempts.reduce((sum, elapsed) => sum + elapsed, 0));
  };
  return { name: ATTEMPT, turn };
}

function manyTasks(scene, run) {
  const turn = async (_round, watch) => {
    const { attempts } = await timeAttempts(scene, run, {}, TASKS_PER_ROUND);
    // The first one's workspace was made before the batch began.
    for (const elapsed of attempts.slice(1)) watch.record(FIRST, elapsed);
  };
  return { name: FIRST, turn };
}

/** An attempt lasts from the end of the one before, or from when the batch is ready, until it is recorded. */
async function timeAttempts(scene, run, wishes, count) {
  await scene.settle();
  const marks = [];
  const observer = {
    onChange: () => marks.length === 0 && marks.push(performance.now()),
    onAttempt: () => marks.push(performance.now()),
  };
  const start = performance.now();
  const result = await run('nop', wishes, observer);
  const total = performance.now() - start;
  requireRecords(result, count);
  return { attempts: marks.slice(1).map((mark, at) => mark - marks[at]), total };
}
