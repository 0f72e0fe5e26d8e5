import { join } from 'node:path';
import { expect, test } from 'vitest';
import { presetAgent } from '../../../test/helpers/agent/call-agent.js';
import { tryAgent } from '../../../test/helpers/batch/agent-request.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { createClaudeReader } from '../../agent/readers/claude-reader.js';
import { createCodexReader } from '../../agent/readers/codex-reader.js';
import { createJsonReader } from '../../agent/readers/json-reader.js';
import type { ResultReader } from '../../agent/result-reader.js';
import { createRedactor } from '../../domain/secret/redactor.js';
import { runProgram } from './run-program.js';

const recorded = (file: string) => join(import.meta.dirname, '../../../test/fixtures/agents', file);

/** One attempt of a program with the output of the script, parsed as the agent's output. */
const tryProgram = (name: 'claude' | 'codex', reader: ResultReader, script: string, limitMs = 30_000) =>
  tryAgent(
    {
      ...{ name, fingerprint: '', version: null, needs: { hosts: [], variables: [] } },
      attempt: request =>
        runProgram({ now: Date.now, redactor: createRedactor() }, request, {
          invocation: { command: ['sh', '-c', script], environment: {}, stdin: undefined },
          reader,
          agent: presetAgent(name),
        }),
    },
    { limitMs },
  );

/** The state while the agent retries its request. */
const waiting = (file: string, lines: number, more = 'true') =>
  `head -n ${lines} ${recorded(file)}; ${more}; exec sleep 1000`;

const ANSWER = `echo '${JSON.stringify({ type: 'assistant', message: { id: 'a', content: [{ text: 'I see.' }] } })}'`;

/** Long enough to print a few lines on a busy machine. */
const LIMIT_MS = 2000;

thoroughTest(
  'a timeout while the agent waits for its model host does not count against the agent',
  async () => {
    const tried = await Promise.all([
      tryProgram('claude', createClaudeReader(), waiting('claude-429.jsonl', 2), LIMIT_MS),
      tryProgram('claude', createClaudeReader(), waiting('claude-500.jsonl', 2), LIMIT_MS),
      tryProgram('codex', createCodexReader(), waiting('codex-429.jsonl', 4), LIMIT_MS),
      tryProgram('codex', createCodexReader(), waiting('codex-500.jsonl', 4), LIMIT_MS),
      // This one has received an answer since.
      tryProgram('claude', createClaudeReader(), waiting('claude-429.jsonl', 2, ANSWER), LIMIT_MS),
    ]);
    const host = (words: string) => ({ ending: 'infrastructure', message: expect.stringContaining(words) });
    expect(tried).toMatchObject([
      host('HTTP 429'),
      host('HTTP 500'),
      host('429 Too Many Requests'),
      host('high demand'),
      { ending: 'timed-out' },
    ]);
  },
);

test.each([
  ['claude', createClaudeReader, 'claude-500.jsonl'],
  ['codex', createCodexReader, 'codex-500.jsonl'],
] as const)('%s giving up on a failing host counts as a host failure', async (name, create, file) => {
  const tried = await tryProgram(name, create(), `cat ${recorded(file)}; exit 1`);
  expect(tried).toMatchObject({ ending: 'infrastructure', problem: { kind: 'host-failed' } });
});

test('counts tokens and cost in a line of several MiB and reports a line that cannot be read', async () => {
  const fill = (mebibytes: number) => `head -c ${mebibytes * 1024 ** 2} /dev/zero | tr '\\0' x`;
  const line = (mebibytes: number) =>
    `printf '{"result":"'; ${fill(mebibytes)}; printf '","usage":{"inputTokens":5,"outputTokens":6,"costUsd":7}}\\n'`;
  const usage = { inputTokens: 5, outputTokens: 6, costUsd: 7 };
  const read = await tryProgram('claude', createJsonReader(), line(2));
  expect(read).toMatchObject({ ending: 'done', usage, findings: [] });
  const cut = await tryProgram('claude', createJsonReader(), line(33));
  expect(cut.findings).toEqual([
    'printed a line of JSON above 32 MiB, which was not read: tokens and cost may be incomplete',
  ]);
});
