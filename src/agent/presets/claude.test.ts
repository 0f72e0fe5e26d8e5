import { expect, type TestContext, test } from 'vitest';
import { requireAgentProgram } from '../../../test/helpers/agent/agent-programs.js';
import { callAgent, presetAgent } from '../../../test/helpers/agent/call-agent.js';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import type { Turn } from '../../../test/helpers/model-server/script.js';
import { startModelServer } from '../../../test/helpers/model-server/server.js';
import { git, makeRepository } from '../../../test/helpers/repository.js';
import { createClaudeReader } from '../readers/claude-reader.js';

/** The real program with a scripted model. */
async function runClaude(context: TestContext, script: readonly Turn[], budgetUsd?: number) {
  const path = requireAgentProgram(context, 'claude');
  const server = await startModelServer({ script });
  const cwd = makeRepository();
  const environment = {
    PATH: path,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'test',
    // The default is ten, which takes minutes.
    CLAUDE_CODE_MAX_RETRIES: '1',
  };
  const wishes = { cwd, environment, ...(budgetUsd !== undefined && { budgetUsd }) };
  const call = await callAgent(presetAgent('claude', { model: 'sonnet' }), wishes);
  return { ...call, cwd, server };
}

thoroughTest(
  'the real program runs its tools unattended on the host, and reports its usage',
  async context => {
    const command =
      'echo made > made.txt && git add made.txt && git commit -qm made && echo kept > "$CARREL_OUTPUT_DIR/plan.md"';
    const { ending, reader, cwd, server } = await runClaude(context, [
      { tool: 'Bash', input: { command }, usage: { inputTokens: 1000, outputTokens: 50, cachedTokens: 200 } },
      { say: 'It is made.', usage: { inputTokens: 500, outputTokens: 7 } },
    ]);
    expect(ending).toBeUndefined();
    expect(git(cwd, 'log', '-1', '--format=%s', '--', 'made.txt')).toBe('made');
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    expect(reader.message()).toBe('It is made.');
    expect(reader.usage()).toMatchObject({ inputTokens: 1700, outputTokens: 57 });
    expect(reader.usage().costUsd).toBeGreaterThan(0);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Do as the script says.');
  },
);

thoroughTest('the real program distinguishes a refused key and too many requests', async context => {
  const [refused, limited] = await Promise.all([
    runClaude(context, [{ status: 401, retryAfter: 1 }]),
    runClaude(context, [{ status: 429, retryAfter: 1 }]),
  ]);
  expect([refused.ending, limited.ending]).toEqual(['key-missing', 'rate-limited']);
  expect(limited.reader.problem()?.retryAfterMs).toBe(1000);
});

test('the real program stops when its budget is used up, which is reported as a limit', async context => {
  const turn = {
    tool: 'Bash',
    input: { command: 'true' },
    usage: { inputTokens: 100_000, outputTokens: 50 },
  };
  const { ending, server } = await runClaude(context, [turn, turn, { say: 'Never said.' }], 0.1);
  expect(ending).toBe('limit');
  expect(server.requests.length).toBeLessThan(3);
});

const read = (file: string) => readRecorded(createClaudeReader(), file);

test('recorded: the result wins over earlier events', () => {
  const reader = read('claude-done.jsonl');
  expect([reader.usage(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": 0.005415,
        "inputTokens": 1700,
        "outputTokens": 57,
      },
      "It is made.",
      undefined,
    ]
  `);
});

test('recorded: usage so far and activity are known before the result', () => {
  const reader = read('claude-cut.jsonl');
  expect([reader.usage(), reader.activity(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": null,
        "inputTokens": 1200,
        "outputTokens": 1,
      },
      "Bash: echo made > made.txt",
      undefined,
      undefined,
    ]
  `);
});

test('a message counts once, although each of its blocks is an event and subagents interleave', () => {
  const reader = createClaudeReader();
  const say = (id: string) => {
    const message = {
      id,
      content: [],
      usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 },
    };
    reader.readLine(JSON.stringify({ type: 'assistant', message }));
  };
  for (const id of ['first', 'first', 'of a helper', 'first']) say(id);
  expect(reader.usage()).toEqual({ inputTokens: 30, outputTokens: 2, costUsd: null });
});

test('recorded: failures are classified by status', () => {
  const problems = ['401', '429', '500', 'no-key'].map(name => read(`claude-${name}.jsonl`).problem());
  expect(problems).toMatchInlineSnapshot(`
    [
      {
        "kind": "key-missing",
        "text": "Failed to authenticate. API Error: 401 scripted 401",
      },
      {
        "kind": "rate-limited",
        "retryAfterMs": 1000,
        "text": "API Error: Request rejected (429) · scripted 429",
      },
      {
        "kind": "host-failed",
        "text": "API Error: 500 scripted 500. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8080).",
      },
      {
        "kind": "key-missing",
        "text": "Not logged in · Please run /login",
      },
    ]
  `);
});
