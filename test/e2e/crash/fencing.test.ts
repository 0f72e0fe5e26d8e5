import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LONGEST_SILENCE_MS } from '../../../src/domain/process-identity.js';
import type { Task } from '../../../src/domain/task/task.js';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.js';
import { writeDataset } from '../../helpers/batch/eval-bench.js';
import {
  type Behind,
  inNamespace,
  letFallSilent,
  onMachine,
  runBehind,
  startBehind,
} from '../../helpers/crash/other-machine.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { findByWord, isRunning } from '../../helpers/machine/processes.js';
import { unmountBelow } from '../../helpers/pool/overlay.js';
import { git } from '../../helpers/repository.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { tempDir } from '../../helpers/temp.js';
import { waitFor } from '../../helpers/wait-for.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

/** The first agent waits for a file that only lets a second one pass at once; each leaves its own file. */
const waitingTask = (word: string): ScriptedTasks =>
  makeScriptedTasks({
    agents: {
      slow: `n=$(wc -l < "$TALLY" 2>/dev/null || echo 0); echo run >> "$TALLY"; echo $n > "by-$n.txt"
        test "$n" -gt 0 || sh -c 'while test ! -f "$TALLY.go"; do sleep 0.05; done' ${word}`,
    },
    stages: [{ name: 'only', agent: 'slow' }],
    workflow: { isolation: 'worktree' },
  });

/** Stopped, as by Ctrl-Z or a machine that sleeps; killed when the test fails. */
async function stop(engine: Behind): Promise<number> {
  const pid = await engine.pid();
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => void engine.child.kill('SIGKILL'));
  return pid;
}

const taskIn = ({ carrel, repository }: ScriptedTasks): Task =>
  carrel.json<Task[]>(repository, 'task', 'ls').at(-1) as Task;

test('a state directory in use on another machine is refused with the name of its host', async () => {
  const site = waitingTask('fenced-refusal');
  const engine = startBehind(onMachine('lab-a'), site.carrel, site.repository, 'run', 'Do it');
  await waitFor('the agent to begin', () => site.tally()[0]);
  for (const args of [['ls'], ['task', 'ls'], ['eval', 'ls'], ['gc', '--yes']]) {
    const error = site.carrel.error(site.repository, ...args);
    expect(error).toMatchObject({ code: 'STATE_IN_USE', details: { host: 'lab-a' } });
    expect(error.message).toContain('is in use on lab-a (process 1, seen ');
    expect(error.hint).toMatch(
      /if lab-a no longer exists, release the directory with: rm .+\/in-use\/.+\.json$/,
    );
  }
  writeFileSync(join(site.carrel.home, 'tally.go'), '');
  expect(await engine.ended).toMatchObject({ status: 0 });
  expect(taskIn(site)).toMatchObject({ status: 'succeeded', runs: [{ outcome: 'succeeded' }] });
  expect(readdirSync(join(site.carrel.stateDir, 'in-use'))).toEqual([]);
});

thoroughTest(
  'an engine on another machine that wakes up after a takeover kills its agent and records nothing',
  async () => {
    const site = waitingTask('fenced-machine');
    const engine = startBehind(onMachine('lab-a'), site.carrel, site.repository, 'run', 'Do it');
    await waitFor('the agent to begin', () => findByWord('fenced-machine')[0]);
    const pid = await stop(engine);
    letFallSilent(join(site.carrel.stateDir, 'in-use'));
    const { id, status } = taskIn(site);
    expect(status).toBe('interrupted');
    const done = site.retry(id);
    expect(done).toMatchObject({ status: 'succeeded', stages: [{ attempts: 2 }] });
    process.kill(pid, 'SIGCONT');
    const ended = await engine.ended;
    expect(ended).toMatchObject({ status: 3 });
    expect(ended.stderr).toContain('this process has lost the state directory');
    expect(findByWord('fenced-machine')).toEqual([]);
    expect(site.show(id)).toEqual(done);
    expect(git(site.repository, 'rev-parse', `${done.branch}`)).toBe(done.head);
  },
);

/** As if the owner of the task had shown no life for this long. */
async function ageHeartbeat({ carrel }: ScriptedTasks, ms: number): Promise<string> {
  const store = await openSqliteStore({ file: join(carrel.stateDir, 'carrel.db'), now: Date.now });
  const [task] = await store.tasks.list();
  const heartbeatAt = new Date(Date.now() - ms).toISOString();
  await store.tasks.update(task?.id ?? '', { statuses: ['running'] }, { heartbeatAt }, []);
  await store.close();
  return task?.id ?? '';
}

thoroughTest(
  'an engine that is stopped in another pid namespace loses its task only after a long silence, and notices',
  async () => {
    const site = waitingTask('fenced-namespace');
    const [here, beside] = [inNamespace(), inNamespace()];
    const engine = startBehind(here, site.carrel, site.repository, 'run', 'Do it');
    await waitFor('the agent to begin', () => findByWord('fenced-namespace')[0]);
    const pid = await stop(engine);
    const retry = (id: string) =>
      runBehind(beside, site.carrel, site.repository, 'task', 'retry', id, '--json');
    const refused = retry(await ageHeartbeat(site, LONGEST_SILENCE_MS / 2));
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'TASK_BUSY' } });
    const id = await ageHeartbeat(site, 2 * LONGEST_SILENCE_MS);
    // Seen from the namespace around both, it is only stopped, however long it has been silent.
    expect(site.show(id)).toMatchObject({ status: 'running' });
    const done = JSON.parse(retry(id).stdout);
    expect(done).toMatchObject({ status: 'succeeded', runs: [{ outcome: 'interrupted' }, {}] });
    process.kill(pid, 'SIGCONT');
    expect(await engine.ended).toMatchObject({ status: 3 });
    expect(findByWord('fenced-namespace')).toEqual([]);
    expect(site.show(id)).toEqual(done);
    expect(git(site.repository, 'rev-parse', `${done.branch}`)).toBe(done.head);
  },
);

thoroughTest(
  'leftover processes of a dead engine in a child pid namespace are killed before its task is retried',
  async () => {
    const site = waitingTask('fenced-orphan');
    const words = [...inNamespace(), 'sh', '-c', '"$@"; sleep 1000', 'keeps-the-namespace'];
    const engine = startBehind(words, site.carrel, site.repository, 'run', site.repository);
    onTestFinished(() => void engine.child.kill('SIGKILL'));
    await waitFor('the agent to begin', () => findByWord('fenced-orphan')[0]);
    // bwrap and the shell have its words too. Which pid is highest says nothing: they begin again from the lowest.
    const dead = findByWord(site.repository).find(isNode) as number;
    process.kill(dead, 'SIGKILL');
    await waitFor('the engine to be gone', () => (isRunning(dead) ? undefined : true));
    expect(findByWord('fenced-orphan')).not.toEqual([]);
    expect(taskIn(site)).toMatchObject({ status: 'interrupted' });
    expect(findByWord('fenced-orphan')).toEqual([]);
    engine.child.kill('SIGKILL');
    await engine.ended;
  },
);

const isNode = (pid: number): boolean =>
  readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith(`${process.execPath}\0`);

thoroughTest(
  'a batch that another machine works on is not resumed here, and its engine records nothing after a takeover',
  async () => {
    const [there, here] = [createTidyCarrel(), createTidyCarrel()];
    const [out, tally, cwd] = [join(tempDir(), 'out'), join(tempDir(), 'tally'), tempDir()];
    const item = {
      description: 'Write "yes" to done.txt',
      base: { kind: 'files', files: { 'README.md': 'hello\n' } },
      graders: [{ kind: 'command', run: 'test "$(cat done.txt)" = yes' }],
    } as const;
    const dataset = writeDataset([{ ...item, id: 'one' }] as never);
    const agent = `n=$(wc -l < ${tally} 2>/dev/null || echo 0); echo run >> ${tally}; echo yes > done.txt
    test "$n" -gt 0 || sh -c 'while test ! -f ${tally}.go; do sleep 0.05; done' fenced-batch`;
    const words = ['--dataset', dataset, '--agent', agent, '--isolation', 'worktree', '--out', out];
    const engine = startBehind(onMachine('lab-a'), there, cwd, 'eval', 'run', ...words);
    await waitFor('the agent to begin', () => findByWord('fenced-batch')[0]);
    const pid = await stop(engine);
    const refused = here.error(cwd, 'eval', 'resume', out);
    expect(refused).toMatchObject({ code: 'RUN_BUSY' });
    expect(refused.message).toMatch(/^process 1 on lab-a is already working on the batch run /);
    letFallSilent(out, ['owner.json']);
    expect(here.json(cwd, 'eval', 'resume', out)).toMatchObject({
      status: 'finished',
      totals: { passed: 1 },
    });
    const files = ['index.jsonl', 'attempts'].map(name => join(out, name));
    const read = () =>
      files.map(file => (file.endsWith('l') ? readFileSync(file, 'utf8') : readdirSync(file)));
    const before = read();
    process.kill(pid, 'SIGCONT');
    const ended = await engine.ended;
    expect(ended.stderr).toMatch(/this process has lost the batch run/);
    expect(ended.status).toBe(3);
    expect(findByWord('fenced-batch')).toEqual([]);
    expect(read()).toEqual(before);
    expect(existsSync(join(out, 'owner.json'))).toBe(false);
  },
);

thoroughTest(
  'two machines with one home: a batch is refused with the host’s name, and a takeover runs only what is not done',
  async () => {
    const carrel = createTidyCarrel();
    // The slots of the batch stay warm, and may be mounted.
    onTestFinished(() => unmountBelow(carrel.home));
    const [out, tally, cwd] = [join(tempDir(), 'out'), join(tempDir(), 'tally'), tempDir()];
    const items = ['one', 'two'].map(id => ({
      ...{ id, description: `The item ${id}`, base: { kind: 'files', files: { id: `${id}\n` } } },
      graders: [{ kind: 'command', run: 'test -f done.txt' }],
    }));
    const dataset = writeDataset(items as never);
    // The first agent that gets the second item waits until it is killed.
    const agent = `id=$(cat id); echo $id >> ${tally}; echo yes > done.txt
      test $id = one || test "$(grep -c two ${tally})" -gt 1 || sh -c 'while :; do sleep 0.05; done' fenced-home`;
    const words = ['--dataset', dataset, '--agent', agent, '--isolation', 'worktree', '--out', out];
    const engine = startBehind(onMachine('lab-a'), carrel, cwd, 'eval', 'run', ...words);
    await waitFor('the second agent to begin', () => findByWord('fenced-home')[0]);
    const pid = await stop(engine);
    const refused = carrel.error(cwd, 'eval', 'resume', out);
    expect(refused).toMatchObject({ code: 'STATE_IN_USE', details: { host: 'lab-a' } });
    expect(readFileSync(tally, 'utf8')).toBe('one\ntwo\n');
    letFallSilent(join(carrel.stateDir, 'in-use'));
    // Its sign of life in the batch is younger: whether it lives is unknown.
    expect(carrel.error(cwd, 'eval', 'resume', out)).toMatchObject({ code: 'RUN_BUSY' });
    expect(readFileSync(tally, 'utf8')).toBe('one\ntwo\n');
    letFallSilent(out, ['owner.json']);
    expect(carrel.json(cwd, 'eval', 'resume', out)).toMatchObject({
      status: 'finished',
      totals: { passed: 2 },
    });
    expect(readFileSync(tally, 'utf8')).toBe('one\ntwo\ntwo\n');
    const index = readFileSync(join(out, 'index.jsonl'), 'utf8');
    process.kill(pid, 'SIGCONT');
    expect(await engine.ended).toMatchObject({ status: 3 });
    expect(findByWord('fenced-home')).toEqual([]);
    expect(readFileSync(join(out, 'index.jsonl'), 'utf8')).toBe(index);
    expect(carrel.json(cwd, 'eval', 'resume', out)).toMatchObject({ totals: { passed: 2 } });
    expect(readFileSync(tally, 'utf8')).toBe('one\ntwo\ntwo\n');
  },
);
