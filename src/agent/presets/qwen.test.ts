import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import {
  MAKE_TWO_FILES,
  runScripted,
  type ScriptedAgent,
} from '../../../test/helpers/agent/scripted-agent.js';
import { git } from '../../../test/helpers/repository.js';
import { createQwenReader } from '../readers/qwen-reader.js';

const AGENT: ScriptedAgent = {
  preset: 'qwen',
  model: 'scripted',
  environment: url => ({ OPENAI_API_KEY: 'scripted-key', OPENAI_BASE_URL: `${url}/v1` }),
};

test('the real program runs its tools unattended on the host, and reports its usage', async context => {
  const { ending, reader, cwd, asked, outputDir } = await runScripted(context, AGENT, [
    { tool: 'run_shell_command', input: { command: MAKE_TWO_FILES, is_background: false } },
    { say: 'It is made.', usage: { inputTokens: 500, outputTokens: 7, cachedTokens: 40 } },
  ]);
  expect(ending).toBeUndefined();
  expect(git(cwd, 'status', '--porcelain')).toBe('?? made.txt');
  expect(readdirSync(outputDir)).toEqual(['plan.md']);
  expect(reader.message()).toBe('It is made.');
  expect(reader.usage()).toEqual({ inputTokens: 640, outputTokens: 17, costUsd: null });
  expect(asked).toContain('Do as the script says.');
});

test('the real program reports a refused key, although it exits with 0', async context => {
  const { ending, result } = await runScripted(context, AGENT, [{ status: 401 }]);
  expect([ending, result.exitCode]).toEqual(['key-missing', 0]);
});

const read = (file: string) => readRecorded(createQwenReader(), file);

test('recorded: usage and last message', () => {
  const reader = read('qwen-done.jsonl');
  expect([reader.usage(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": null,
        "inputTokens": 250,
        "outputTokens": 20,
      },
      "All done.",
      undefined,
    ]
  `);
});

test('recorded: a refusal that is reported as a success, and a missing login', () => {
  const problems = ['qwen-401.jsonl', 'qwen-no-key.jsonl'].map(file => read(file).problem());
  expect(problems).toMatchInlineSnapshot(`
    [
      {
        "kind": "key-missing",
        "text": "[API Error: 401 Incorrect API key provided]",
      },
      {
        "kind": "key-missing",
        "text": "No auth type is selected. Please configure an auth type (e.g. via settings or \`--auth-type\`) before running in non-interactive mode.",
      },
    ]
  `);
});

test('a model that quotes a refusal was not refused', () => {
  const reader = createQwenReader();
  reader.readLine(
    '{"type":"assistant","message":{"usage":{"input_tokens":9,"output_tokens":4},"content":[]}}',
  );
  reader.readLine('{"type":"result","is_error":false,"result":"[API Error: 401 is what the log said]"}');
  expect(reader.problem()).toBeUndefined();
});
