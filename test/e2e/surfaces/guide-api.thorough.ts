import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findByWord } from '../../helpers/machine/processes.js';
import { makeStorySite, type StorySite } from '../../helpers/task/story-site.js';
import { waitFor } from '../../helpers/wait-for.js';
import { requirePart, requireProgram } from '../../parts/required-part.js';

const GUIDE = new URL('../../../docs/guides/api.md', import.meta.url);

test('every command of the guide to the API works as it is typed', async context => {
  const canRun = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
  requirePart(context, canRun('curl', '--json', '{}', '--version'), 'curl');
  requireProgram(context, 'jq');
  const site = await makeStorySite(
    // What two stories made in the same second would else be the same commit, and one branch enough for it.
    'echo "$$ $1" > made.txt; git add made.txt; git commit --quiet --message made',
  );
  // All but the first, which starts the server.
  const [, ...blocks] = [...readFileSync(GUIDE, 'utf8').matchAll(/```sh\n(.*?)```/gs)].map(
    ([, block]) => block,
  );
  const here = [`url=${site.url}`, `token=${site.token}`];
  const lines = blocks
    .join('\n')
    .split('\n')
    .map(line => (/^(url|token)=/.test(line) ? (here.shift() ?? '') : line));
  const child = spawn('bash', ['-euo', 'pipefail', '-c', lines.join('\n')], {
    cwd: site.repository,
    env: site.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const told = { out: '', error: '' };
  child.stdout.on('data', chunk => {
    told.out += chunk;
  });
  child.stderr.on('data', chunk => {
    told.error += chunk;
  });
  const [status] = await once(child, 'close');
  expect({ status, error: told.error }).toEqual({ status: 0, error: '' });
  expect(told.out).toMatch(/"status": "(pending|running|completed)"/);
  expect(told.out).toContain('made.txt');
  expect(told.out).toContain('"keptBranch": "carrel/');
  expect(told.out).toContain('event: task.succeeded');
  expect(told.out).toContain('"code": "TASK_NOT_FOUND"');
  await untilIdle(site);
});

/** What was sent goes on without the server, and so it would without the test. */
async function untilIdle({ client }: StorySite): Promise<void> {
  for (const { id } of await client.tasks.list())
    for await (const _ of client.events({ taskId: id, after: 0 }));
  for (const { id } of await client.batches.list())
    await waitFor('the end of the batch', () => (findByWord(id).length === 0 ? true : undefined), 60_000);
}
