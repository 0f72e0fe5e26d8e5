import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import {
  MAKE_TWO_FILES,
  runScripted,
  type ScriptedAgent,
} from '../../../test/helpers/agent/scripted-agent.js';
import { git } from '../../../test/helpers/repository.js';
import { createOpencodeReader } from '../readers/opencode-reader.js';

const AGENT: ScriptedAgent = {
  preset: 'opencode',
  model: 'scripted/one',
  environment: url => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ provider: { scripted: describeProvider(url) } }),
    OPENCODE_DISABLE_MODELS_FETCH: 'true',
  }),
};

const describeProvider = (url: string) => ({
  npm: '@ai-sdk/openai-compatible',
  options: { baseURL: `${url}/v1`, apiKey: 'scripted-key' },
  models: { one: { name: 'one', cost: { input: 10, output: 20, cache_read: 1 } } },
});

test('the real program runs its tools unattended on the host, and reports its usage', async context => {
  const { ending, reader, cwd, asked, outputDir } = await runScripted(context, AGENT, [
    { tool: 'bash', input: { command: MAKE_TWO_FILES, description: 'makes two files' } },
    { say: 'It is made.', usage: { inputTokens: 500, outputTokens: 7, cachedTokens: 40 } },
  ]);
  expect(ending).toBeUndefined();
  expect(git(cwd, 'status', '--porcelain')).toBe('?? made.txt');
  expect(readdirSync(outputDir)).toEqual(['plan.md']);
  expect(reader.message()).toBe('It is made.');
  expect(reader.usage()).toEqual({ inputTokens: 640, outputTokens: 17, costUsd: expect.closeTo(0.00638, 6) });
  expect(asked).toContain('Do as the script says.');
});

test('the real program reports a refused key', async context => {
  const { ending } = await runScripted(context, AGENT, [{ status: 401 }]);
  expect(ending).toBe('key-missing');
});

const read = (file: string) => readRecorded(createOpencodeReader(), file);

test('recorded: usage is the sum of the steps', () => {
  const reader = read('opencode-done.jsonl');
  expect([reader.usage(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": 0.000915,
        "inputTokens": 250,
        "outputTokens": 20,
      },
      "All done.",
      undefined,
    ]
  `);
});

test('recorded: too many requests, and how long to wait', () => {
  expect(read('opencode-429.jsonl').problem()).toMatchInlineSnapshot(`
    {
      "kind": "rate-limited",
      "retryAfterMs": 3000,
      "text": "scripted 429",
    }
  `);
});

test('an unknown price is not a price of 0', () => {
  const reader = createOpencodeReader();
  reader.readLine('{"type":"step_finish","part":{"tokens":{"input":5,"output":1,"reasoning":2},"cost":0}}');
  expect(reader.usage()).toEqual({ inputTokens: 5, outputTokens: 3, costUsd: null });
});
