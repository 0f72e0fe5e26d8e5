import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryAgent } from '../../../test/helpers/batch/agent-request.js';
import { plainEnvironment } from '../../../test/helpers/batch/plain-environment.js';
import { isRunning } from '../../../test/helpers/machine/processes.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor, waitForPid } from '../../../test/helpers/wait-for.js';
import { loadModuleAgent } from './module-agent.js';

async function loadAgent(source: string, name = 'agent.mjs', model?: string) {
  const cwd = tempDir();
  writeFiles(cwd, { [name]: source });
  return loadModuleAgent({ cwd, now: Date.now }, name, model);
}

test('a function gets the task, the working directory, the limits and working tools', async () => {
  const agent = await loadAgent(
    `export default async ({ task, workingDirectory, deadline, budgetUsd, model, tools, log }) => {
      log(JSON.stringify({ task, workingDirectory, deadline, budgetUsd, model }));
      await tools.write_file.run({ path: 'made.txt', content: 'made' });
      const { output } = await tools.bash.run({ command: 'cat file.txt; echo $CARREL_TASK_ID' });
      return { message: output, usage: { inputTokens: 1, outputTokens: 2, costUsd: 0.5 } };
    };`,
    'agent.mjs',
    'some-model',
  );
  const deadline = Date.now() + 60_000;
  const { environment, lines, usages, ...result } = await tryAgent(agent, { deadline, budgetUsd: 3 });
  const { workingDirectory } = environment;
  expect(JSON.parse(lines[0]?.replace('stdout: ', '') ?? '')).toEqual({
    task: { id: 'fix-it-001', description: 'Make file.txt say new.' },
    ...{ workingDirectory, deadline, budgetUsd: 3, model: 'some-model' },
  });
  expect(lines.slice(1)).toEqual([
    'activity: write_file: made.txt',
    'activity: bash: cat file.txt; echo $CARREL_TASK_ID',
  ]);
  expect(result).toMatchObject({ ending: 'done', message: 'old\nfix-it-001\n', usage: { costUsd: 0.5 } });
  expect(usages).toEqual([result.usage]);
  expect((await environment.readFile('made.txt', 100))?.toString()).toBe('made');
});

test('on the host, the tools of a function stay in the working directory', async () => {
  const elsewhere = tempDir();
  const agent = await loadAgent(
    `export default ({ tools }) => tools.write_file.run({ path: ${JSON.stringify(join(elsewhere, 'x'))}, content: '' })
      .then(({ output }) => output);`,
  );
  expect((await tryAgent(agent)).message).toMatch(/it leads out of the working directory/);
  expect(existsSync(join(elsewhere, 'x'))).toBe(false);
});

test('concurrent commands of a function run one at a time, and none kills another', async () => {
  const agent = await loadAgent(
    `export default async ({ tools }) => {
      const commands = ['sleep 0.2; echo one', 'echo two', 'echo three'];
      const results = await Promise.all(commands.map(command => tools.bash.run({ command })));
      return results.map(({ output }) => output.trim()).join(' ');
    };`,
  );
  expect((await tryAgent(agent)).message).toBe('one two three');
});

test('a function that throws is an agent error', async () => {
  const agent = await loadAgent(`export default () => { throw new Error('no idea'); };`);
  const { ending, message, lines } = await tryAgent(agent);
  expect([ending, message]).toEqual(['failed', 'it threw: no idea']);
  expect(lines.join()).toContain('agent.mjs');
});

test('a function that runs past its time limit is abandoned and its tools refuse to run', async () => {
  const told: string[] = [];
  const agent = await loadAgent(
    `export default async ({ tools, log }) => {
      await tools.bash.run({ command: 'echo $$ > pid; sleep 1000' }).catch(error => log('first: ' + error.message));
      await tools.write_file.run({ path: 'late.txt', content: '' }).catch(error => log('second: ' + error.message));
      await new Promise(() => {});
    };`,
  );
  const environment = plainEnvironment();
  const result = await tryAgent(agent, {
    environment,
    limitMs: 1500,
    onLine: (_, text) => void told.push(text),
  });
  expect(result).toMatchObject({
    ending: 'timed-out',
    message: expect.stringMatching(/promise was abandoned/),
  });
  expect(isRunning(await waitForPid(join(environment.workingDirectory, 'pid')))).toBe(false);
  await waitFor('the second refusal', () => told.find(text => text.startsWith('second: ')));
  expect(told).toEqual(expect.arrayContaining(['first: the time is up']));
  expect(await environment.readFile('late.txt', 1)).toBeUndefined();
});

test('a function that is cancelled or reports too much usage ends with that outcome', async () => {
  const agent = await loadAgent(
    `export default async ({ reportUsage, signal }) => {
      reportUsage({ inputTokens: 10, outputTokens: 5, costUsd: 2 });
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };`,
  );
  expect(await tryAgent(agent, { signal: AbortSignal.timeout(200) })).toMatchObject({ ending: 'cancelled' });
  expect(await tryAgent(agent, { item: { limits: { costUsd: 1 } } })).toMatchObject({
    ending: 'failed',
    problem: { kind: 'limit', text: 'it has used 2.00 US dollars; the task allows 1' },
    usage: { inputTokens: 10, outputTokens: 5, costUsd: 2 },
  });
});

test('the fingerprint depends on the content and the model', async () => {
  const [one, same, other, model] = await Promise.all([
    loadAgent('export default async () => {};'),
    loadAgent('export default async () => {};', 'other.mjs'),
    loadAgent('export default async () => 1;'),
    loadAgent('export default async () => {};', 'agent.mjs', 'm'),
  ]);
  expect(same.fingerprint).toBe(one.fingerprint);
  expect(new Set([one, other, model].map(({ fingerprint }) => fingerprint)).size).toBe(3);
});

test('a module that cannot be used is refused with the reason', async () => {
  const problem = (source: string, name?: string) =>
    loadAgent(source, name).then(
      () => 'none',
      error => [error.code, error.details.problem].join(': '),
    );
  expect(await problem('export const agent = 1;')).toMatch(
    /^AGENT_MODULE_INVALID: its default export is undefined/,
  );
  expect(await problem('export default 1;')).toMatch(/default export is number; expected a function/);
  expect(await problem('throw new Error("at the top");')).toMatch(/at the top/);
  await expect(loadModuleAgent({ cwd: tempDir(), now: Date.now }, 'no.mjs', undefined)).rejects.toMatchObject(
    {
      code: 'AGENT_MODULE_INVALID',
    },
  );
  const typescript = await problem('export default async (work: unknown) => {};', 'agent.ts');
  const canRun = Boolean((process.features as { typescript?: string | false }).typescript);
  expect(typescript).toMatch(canRun ? /^none$/ : /cannot run TypeScript; use Node 22\.18 or later/);
});
