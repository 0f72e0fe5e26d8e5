import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryAgent } from '../../../test/helpers/batch/agent-request.js';
import { plainEnvironment } from '../../../test/helpers/batch/plain-environment.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { makeTaskSite } from '../../../test/helpers/task/task-site.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { needProgram } from '../../../test/parts/required-part.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { type ResolveOptions, resolveEvalAgent } from './resolve-eval-agent.js';

/** A site whose repository has these files in .carrel; agents are read from there. */
async function makeSite(files: Record<string, string> = {}, environment: Record<string, string> = {}) {
  const site = await makeTaskSite();
  writeFiles(join(site.repository, '.carrel'), files);
  const app = { ...site.app, environment: { ...site.app.environment, ...environment } };
  const resolve = (name: string, options: Partial<ResolveOptions> = {}) =>
    resolveEvalAgent(app, name, { repositoryRoot: site.repository, ...options });
  return { ...site, app, resolve };
}

test('knows oracle and nop, and lists the known names for an unknown one', async () => {
  const { resolve } = await makeSite();
  expect([(await resolve('oracle')).name, (await resolve('nop')).name]).toEqual(['oracle', 'nop']);
  await expect(resolve('oracel')).rejects.toMatchObject({
    code: 'UNKNOWN_AGENT',
    message: expect.stringMatching(/^--agent names the unknown agent "oracel"; known: .*nop, .*oracle/),
    hint: 'did you mean oracle?',
  });
});

test('text with a space runs in the shell with the task, deadline, budget and directory', async () => {
  needProgram('grep');
  needProgram('cmp');
  const { resolve } = await makeSite();
  const agent = await resolve(
    'cat > prompt.txt; env | grep ^CARREL_ | sort > variables.txt; cmp prompt.txt "$CARREL_PROMPT_FILE"',
    { model: 'some-model' },
  );
  const deadline = Date.now() + 60_000;
  const { environment, ending, message } = await tryAgent(agent, { deadline, budgetUsd: 2.5 });
  expect([ending, message]).toEqual(['done', null]);
  const read = (name: string) => readFileSync(join(environment.workingDirectory, name), 'utf8');
  const prompt = read('prompt.txt');
  for (const part of [
    'Make file.txt say new.',
    environment.workingDirectory,
    new Date(deadline).toISOString(),
    '2.5 US dollars',
  ])
    expect(prompt).toContain(part);
  expect(read('variables.txt').split('\n')).toEqual(
    expect.arrayContaining([
      'CARREL_TASK_ID=fix-it-001',
      `CARREL_WORKING_DIRECTORY=${environment.workingDirectory}`,
      `CARREL_DEADLINE=${new Date(deadline).toISOString()}`,
      'CARREL_BUDGET_USD=2.5',
      'CARREL_MODEL=some-model',
    ]),
  );
});

test("a command's output is logged, its JSON reports usage, and its handoff directory is removed afterwards", async () => {
  const { resolve, app } = await makeSite();
  const agent = await resolve(
    `echo begun >&2; echo '{"usage": {"inputTokens": 5, "outputTokens": 2, "costUsd": 0.5}}'; chmod 500 "$CARREL_OUTPUT_DIR" "$CARREL_OUTPUT_DIR/.."; echo all done`,
  );
  const { ending, usage, usages, message, lines, exitCode } = await tryAgent(agent);
  expect({ ending, usage, exitCode }).toEqual({
    ending: 'done',
    usage: { inputTokens: 5, outputTokens: 2, costUsd: 0.5 },
    exitCode: 0,
  });
  expect(usages.at(-1)).toEqual(usage);
  expect(message).toMatch(/all done$/);
  expect(lines).toEqual(expect.arrayContaining(['stderr: begun', 'stdout: all done']));
  const left = readdirSync(join(app.places.cacheDir, 'eval'));
  expect(left.sort()).toEqual(['bases', 'desks', 'kept', 'mirrors']);
});

test('distinguishes a command that fails, times out, is cancelled or uses too much', async () => {
  const { resolve } = await makeSite();
  const attempt = async (command: string, more: Parameters<typeof tryAgent>[1] = {}) =>
    tryAgent(await resolve(command), more);
  expect(await attempt('echo wrong; exit 3')).toMatchObject({
    ending: 'failed',
    exitCode: 3,
    message: 'exit status 3\nwrong',
  });
  expect(await attempt('sleep 1000', { limitMs: 300 })).toMatchObject({ ending: 'timed-out' });
  expect(await attempt('sleep 1000', { signal: AbortSignal.timeout(300) })).toMatchObject({
    ending: 'cancelled',
  });
  const greedy = `echo '{"usage": {"inputTokens": 500, "outputTokens": 501}}'; sleep 1000`;
  expect(await attempt(greedy, { item: { limits: { tokens: 1000 } } })).toMatchObject({
    ending: 'failed',
    message: 'it has used 1001 tokens; the task allows 1000',
    problem: { kind: 'limit' },
    usage: { inputTokens: 500, outputTokens: 501 },
  });
});

test('a path runs as a program', async () => {
  const { resolve } = await makeSite();
  const [directory = ''] = makeProgram('agent.sh', 'echo new > file.txt').split(':');
  const { environment } = await tryAgent(await resolve(join(directory, 'agent.sh')));
  expect((await environment.readFile('file.txt', 100))?.toString()).toBe('new\n');
});

test("a repository's agent runs once it is trusted, with its instructions first and its files in place", async () => {
  const definition = `---
command: cat > prompt.txt && cp "$CARREL_FILES_DIR/settings.txt" .
files: { settings.txt: careful }
---
You are careful.
`;
  const { resolve } = await makeSite({ 'agents/careful.md': definition });
  await expect(resolve('careful')).rejects.toMatchObject({ code: 'TASK_COMMANDS_NOT_TRUSTED' });
  const { environment, ending } = await tryAgent(await resolve('careful', { trust: true }));
  expect(ending).toBe('done');
  expect((await environment.readFile('prompt.txt', 9999))?.toString()).toMatch(
    /^# Your role\n\nYou are careful\.\n\n# The task/,
  );
  expect((await environment.readFile('settings.txt', 99))?.toString()).toBe('careful');
});

test('a preset has a version, needs hosts and keys, and gets its model', async () => {
  const path = makeProgram(
    'claude',
    `if [ "$1" = --version ]; then echo '2.0.1 (Claude Code)'; exit; fi
echo "$@" > arguments.txt
echo '{"type":"result","subtype":"success","is_error":false,"result":"I did it","modelUsage":{"opus":{"inputTokens":3,"outputTokens":4,"costUSD":0.25}},"total_cost_usd":0.25}'`,
  );
  const { resolve } = await makeSite({}, { PATH: path });
  const agent = await resolve('claude', { model: 'opus' });
  expect(agent).toMatchObject({
    version: '2.0.1 (Claude Code)',
    needs: {
      hosts: expect.arrayContaining(['api.anthropic.com']),
      variables: expect.arrayContaining(['ANTHROPIC_API_KEY']),
    },
  });
  expect(agent.fingerprint).not.toBe((await resolve('claude')).fingerprint);
  expect(agent.fingerprint).toBe((await resolve('claude', { model: 'opus' })).fingerprint);
  const environment = withPath(plainEnvironment(), path);
  expect(await tryAgent(agent, { environment })).toMatchObject({
    ending: 'done',
    message: 'I did it',
    usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.25 },
  });
  expect((await environment.readFile('arguments.txt', 9999))?.toString()).toContain('--model opus');
});

test('a preset that is not installed is refused before anything runs, unless an image has it', async () => {
  const { resolve } = await makeSite({}, { PATH: tempDir() });
  await expect(resolve('claude')).rejects.toMatchObject({ code: 'PROGRAM_NOT_INSTALLED' });
  expect(await resolve('claude', { isInImage: true })).toMatchObject({ name: 'claude', version: null });
});

/** Returns a PATH that contains it. */
function makeProgram(name: string, script: string): string {
  const directory = tempDir();
  writeFiles(directory, { [name]: `#!/bin/sh\n${script}\n` });
  chmodSync(join(directory, name), 0o755);
  return `${directory}:${process.env.PATH}`;
}

const withPath = (environment: TaskEnvironment, PATH: string): TaskEnvironment => ({
  ...environment,
  run: request => environment.run({ ...request, environment: { ...request.environment, PATH } }),
});
