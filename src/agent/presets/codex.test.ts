import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { requireAgentProgram } from '../../../test/helpers/agent/agent-programs.js';
import { callAgent, presetAgent } from '../../../test/helpers/agent/call-agent.js';
import { codexProvider } from '../../../test/helpers/agent/codex-provider.js';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import type { Turn } from '../../../test/helpers/model-server/script.js';
import { startModelServer } from '../../../test/helpers/model-server/server.js';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requirePart } from '../../../test/parts/required-part.js';
import { findProgramIn } from '../../exec/find-program.js';
import { createCodexReader } from '../readers/codex-reader.js';

/** The real program with a scripted model, in a linked worktree as a workspace is one. */
async function runCodex(context: TestContext, script: readonly Turn[], further: readonly string[] = []) {
  const path = requireAgentProgram(context, 'codex');
  const server = await startModelServer({ script });
  const cwd = join(tempDir(), 'worktree');
  git(makeRepository(), 'worktree', 'add', '--quiet', cwd);
  const agent = presetAgent('codex', {
    model: 'gpt-5.1',
    arguments: [...codexProvider(server.url), ...further],
  });
  const environment = { PATH: path, CODEX_API_KEY: 'test', TMPDIR: tempDir() };
  return { ...(await callAgent(agent, { cwd, environment })), cwd, server };
}

/** It needs kernel namespaces, and a home outside the temporary directory. */
function requireOwnSandbox(context: TestContext): void {
  const PATH = requireAgentProgram(context, 'codex');
  const env = { PATH, HOME: tempDir(), TMPDIR: tempDir() };
  const { status } = spawnSync(findProgramIn(PATH, 'codex') ?? '', ['sandbox', 'true'], {
    env,
    timeout: 20_000,
  });
  requirePart(context, status === 0, 'sandbox of codex');
}

const run = (cmd: string, usage = { inputTokens: 1000, outputTokens: 50, cachedTokens: 200 }): Turn => ({
  tool: 'exec_command',
  input: { cmd },
  usage,
});
const SAY: Turn = { say: 'It is made.', usage: { inputTokens: 500, outputTokens: 7 } };

thoroughTest('the real program runs its tools unattended, and reports its usage', async context => {
  const cmd = 'echo made > made.txt && git add made.txt && git commit -qm made';
  const { ending, reader, cwd, server } = await runCodex(
    context,
    [run(cmd), SAY],
    ['--sandbox', 'danger-full-access'],
  );
  expect(ending).toBeUndefined();
  expect(git(cwd, 'log', '-1', '--format=%s', '--', 'made.txt')).toBe('made');
  expect(reader.message()).toBe('It is made.');
  expect(reader.usage()).toEqual({ inputTokens: 1700, outputTokens: 57, costUsd: null });
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Do as the script says.');
});

test('on the host its own sandbox stays on: it writes files and outputs, and Carrel commits', async context => {
  requireOwnSandbox(context);
  const cmd =
    'echo made > made.txt; echo kept > "$CARREL_OUTPUT_DIR/plan.md"; git commit --allow-empty -qm no';
  const { ending, cwd, outputDir } = await runCodex(context, [run(cmd), SAY]);
  expect(ending).toBeUndefined();
  expect(git(cwd, 'status', '--porcelain')).toBe('?? made.txt');
  expect(readFileSync(join(outputDir, 'plan.md'), 'utf8')).toBe('kept\n');
  expect(git(cwd, 'log', '--format=%s')).toBe('first');
});

test('the real program distinguishes a refused key, too many requests and a broken host', async context => {
  const statuses = [401, 429, 500];
  const calls = await Promise.all(statuses.map(status => runCodex(context, [{ status, retryAfter: 1 }])));
  expect(calls.map(({ ending }) => ending)).toEqual(['key-missing', 'rate-limited', 'agent-failed']);
});

const read = (file: string) => readRecorded(createCodexReader(), file);

test('recorded: message, activity and usage of a run', () => {
  const reader = read('codex-done.jsonl');
  expect([reader.usage(), reader.activity(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": null,
        "inputTokens": 1700,
        "outputTokens": 57,
      },
      "It is made.",
      "It is made.",
      undefined,
    ]
  `);
});

test('recorded: failures are classified by status', () => {
  const problems = ['401', '429', '500'].map(name => read(`codex-${name}.jsonl`).problem());
  expect(problems).toMatchInlineSnapshot(`
    [
      {
        "kind": "key-missing",
        "text": "unexpected status 401 Unauthorized: scripted 401, url: http://127.0.0.1:8080/v1/responses",
      },
      {
        "kind": "rate-limited",
        "retryAfterMs": undefined,
        "text": "exceeded retry limit, last status: 429 Too Many Requests",
      },
      {
        "kind": "host-failed",
        "text": "We’re currently experiencing high demand, which may cause temporary errors.",
      },
    ]
  `);
});
