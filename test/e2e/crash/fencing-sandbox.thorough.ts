import { expect, onTestFinished, test } from 'vitest';
import { LONGEST_SILENCE_MS } from '../../../src/domain/process-identity.js';
import type { Task } from '../../../src/domain/task/task.js';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.js';
import { inNamespace, runBehind, startBehind } from '../../helpers/crash/other-machine.js';
import { findByWord, isRunning } from '../../helpers/machine/processes.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { waitFor } from '../../helpers/wait-for.js';

const WORD = 'fenced-inside';

/** The first agent never ends by itself; a second one finds its file and does. */
const waitingInside = (): ScriptedTasks =>
  makeScriptedTasks({
    agents: {
      slow: `test -f first.txt && { echo ok > second.txt; exit 0; }
        echo 1 > first.txt; exec sh -c 'while :; do sleep 0.05; done' ${WORD}`,
    },
    stages: [{ name: 'only', agent: 'slow' }],
    workflow: { isolation: 'full' },
    config: { sandbox: { runtime: 'bubblewrap' } },
  });

async function fallSilent({ carrel }: ScriptedTasks): Promise<string> {
  const store = await openSqliteStore({ file: `${carrel.stateDir}/carrel.db`, now: Date.now });
  const [task] = await store.tasks.list();
  const heartbeatAt = new Date(Date.now() - 2 * LONGEST_SILENCE_MS).toISOString();
  await store.tasks.update(task?.id ?? '', { statuses: ['running'] }, { heartbeatAt }, []);
  await store.close();
  return task?.id ?? '';
}

test('an agent in a sandbox that other processes cannot see continues while its engine is suspended, and is killed when the engine resumes', async () => {
  const site = waitingInside();
  const engine = startBehind(inNamespace(), site.carrel, site.repository, 'run', 'Do it');
  onTestFinished(() => void engine.child.kill('SIGKILL'));
  const agent = await waitFor('the agent to begin', () => findByWord(WORD)[0]);
  const pid = await engine.pid();
  process.kill(pid, 'SIGSTOP');
  const id = await fallSilent(site);
  const retried = runBehind(inNamespace(), site.carrel, site.repository, 'task', 'retry', id, '--json');
  // Who takes it over sees neither the engine nor its agent.
  expect(isRunning(agent)).toBe(true);
  process.kill(pid, 'SIGCONT');
  const ended = await engine.ended;
  expect(ended.status).toBe(3);
  expect(findByWord(WORD)).toEqual([]);
  expect(JSON.parse(retried.stdout) as Task).toMatchObject({ id });
  const after = site.show(id);
  expect(after.runs.at(0)).toMatchObject({ outcome: 'interrupted' });
});
