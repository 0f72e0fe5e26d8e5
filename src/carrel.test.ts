import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createCarrel as createSite } from '../test/helpers/carrel.js';
import { makeRepository, writeFiles } from '../test/helpers/repository.js';
import { tempDir } from '../test/helpers/temp.js';
import { createCarrel } from './carrel.js';
import type { AgentFunction } from './tools/agent-function.js';

test('closing ends the streams of events and logs without an error', async () => {
  const { env: environment } = createSite();
  const carrel = await createCarrel({ repository: makeRepository(), environment });
  const types: string[] = [];
  const following = (async () => {
    for await (const { type } of carrel.events()) types.push(type);
  })();
  await carrel.workspaces.create({ name: 'a', isolation: 'worktree' });
  await expect.poll(() => types).toContain('workspace.ready');
  await carrel.close();
  await expect(following).resolves.toBeUndefined();
});

/** Two small tasks in a file of the directory: each wants `done.txt`. */
function writeDataset(directory: string): void {
  const items = ['one', 'two'].map(id => ({
    id,
    description: 'Write done.txt',
    base: { kind: 'files', files: { 'README.md': 'hello\n' } },
    graders: [{ kind: 'command', run: 'test -f done.txt' }],
  }));
  writeFiles(directory, { 'set.yaml': stringify({ name: 'small', items }) });
}

test('a batch of a program is resumed from elsewhere with its function, and by no agent of its name', async () => {
  const { env: environment } = createSite();
  const here = tempDir();
  writeDataset(here);
  const worked: string[] = [];
  const drain = new AbortController();
  const oracle: AgentFunction = async ({ task, tools }) => {
    worked.push(task.id);
    drain.abort();
    await tools.write_file.run({ path: 'done.txt', content: 'yes\n' });
  };
  await using carrel = await createCarrel({ repository: here, environment });
  const begun = await carrel.batches.run({ dataset: 'set.yaml', agent: oracle }, { drain: drain.signal });
  expect(begun).toMatchObject({ status: 'stopped', agent: 'function:oracle', totals: { passed: 1 } });
  await using elsewhere = await createCarrel({ repository: tempDir(), environment });
  const { batches } = elsewhere;
  await expect(batches.resume('latest')).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  const ended = await batches.resume(begun.id, { agent: oracle });
  expect(ended).toMatchObject({ status: 'finished', totals: { passed: 2 } });
  expect(worked).toEqual(['one', 'two']);
  expect(await batches.compare([begun.id, begun.id])).toMatchObject({ pairs: [{ both: 2, pValue: 1 }] });
  expect((await batches.list()).map(({ id }) => id)).toEqual([begun.id]);
});

test('closing stops the batch that runs, and what it was doing is cancelled', async () => {
  const { env: environment } = createSite();
  const here = tempDir();
  writeDataset(here);
  const carrel = await createCarrel({ repository: here, environment });
  let begin: () => void = () => undefined;
  const begun = new Promise<void>(resolve => {
    begin = resolve;
  });
  const agent: AgentFunction = async ({ tools }) => {
    begin();
    await tools.bash.run({ command: 'sleep 1000' });
  };
  const running = carrel.batches.run({ dataset: 'set.yaml', agent });
  await begun;
  await carrel.close();
  expect(await running).toMatchObject({ status: 'stopped', totals: { passed: 0, cancelled: 1 } });
});
