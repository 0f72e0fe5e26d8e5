import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import {
  MAKE_TWO_FILES,
  runScripted,
  type ScriptedAgent,
} from '../../../test/helpers/agent/scripted-agent.js';
import { git } from '../../../test/helpers/repository.js';
import { createCopilotReader } from '../readers/copilot-reader.js';

/** With a custom model provider, as described in its help. */
const AGENT: ScriptedAgent = {
  preset: 'copilot',
  model: 'gpt-4.1',
  environment: url => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'scripted-key',
    COPILOT_OFFLINE: 'true',
  }),
};

test('the real program runs its tools unattended on the host', async context => {
  const { ending, reader, cwd, asked, outputDir } = await runScripted(context, AGENT, [
    { tool: 'bash', input: { command: MAKE_TWO_FILES, description: 'makes two files' } },
    { say: 'It is made.' },
  ]);
  expect(ending).toBeUndefined();
  expect(git(cwd, 'status', '--porcelain')).toBe('?? made.txt');
  expect(readdirSync(outputDir)).toEqual(['plan.md']);
  expect(reader.message()).toBe('It is made.');
  expect(asked).toContain('Do as the script says.');
});

test('the real program reports a refused key', async context => {
  const { ending } = await runScripted(context, AGENT, [{ status: 401 }]);
  expect(ending).toBe('key-missing');
});

test('the real program reports a missing token', async context => {
  const { ending } = await runScripted(context, { ...AGENT, environment: () => ({}) }, [{ say: 'never' }]);
  expect(ending).toBe('key-missing');
});

const read = (file: string) => readRecorded(createCopilotReader(), file);

test('recorded: last message and activity', () => {
  const reader = read('copilot-done.jsonl');
  expect([reader.usage(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": null,
        "inputTokens": 0,
        "outputTokens": 0,
      },
      "All done.",
      undefined,
    ]
  `);
});

test('recorded: too many requests', () => {
  expect(read('copilot-429.jsonl').problem()).toMatchInlineSnapshot(`
    {
      "kind": "rate-limited",
      "retryAfterMs": undefined,
      "text": "Failed to get response from the AI model; retried 5 times (total retry wait time: 5.34 seconds) Last error: 429 scripted 429",
    }
  `);
});
