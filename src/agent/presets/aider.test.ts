import { expect, test } from 'vitest';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import { runScripted, type ScriptedAgent } from '../../../test/helpers/agent/scripted-agent.js';
import { git } from '../../../test/helpers/repository.js';
import { createAiderReader } from '../readers/aider-reader.js';

const AGENT: ScriptedAgent = {
  preset: 'aider',
  model: 'openai/gpt-4o',
  arguments: ['--edit-format', 'whole'],
  // It has no tools: its model writes the files as text.
  environment: url => ({ OPENAI_API_KEY: 'scripted-key', OPENAI_API_BASE: `${url}/plain/v1` }),
};

test('the real program edits and commits unattended, and reports its usage', async context => {
  const { ending, reader, cwd } = await runScripted(context, AGENT, [
    {
      say: 'Here it is.\n\nmade.txt\n```\nmade\n```\n',
      usage: { inputTokens: 2345, outputTokens: 7 },
    },
    { say: 'make it' },
  ]);
  expect(ending).toBeUndefined();
  expect(git(cwd, 'log', '-1', '--format=%s', '--', 'made.txt')).toBe('make it');
  expect(reader.message()).toContain('Here it is.');
  expect(reader.usage()).toMatchObject({ inputTokens: 2300, outputTokens: 7 });
  expect(reader.usage().costUsd).toBeGreaterThan(0);
});

test('the real program reports a refused key, although it exits with 0', async context => {
  const { ending, result } = await runScripted(context, AGENT, [{ status: 401 }]);
  expect([ending, result.exitCode]).toEqual(['key-missing', 0]);
});

const read = (file: string) => readRecorded(createAiderReader(), file);

test('recorded: usage and last message', () => {
  const reader = read('aider-done.txt');
  expect([reader.usage(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": 0.0036,
        "inputTokens": 1200,
        "outputTokens": 56,
      },
      "Here it is.



    hello.txt

    \`\`\`
    hi

    \`\`\`",
      undefined,
    ]
  `);
});

test('recorded: too many requests, and no key', () => {
  const problems = ['aider-429.txt', 'aider-no-key.txt'].map(file => read(file).problem());
  expect(problems).toMatchInlineSnapshot(`
    [
      {
        "kind": "rate-limited",
        "text": "litellm.RateLimitError: RateLimitError: OpenAIException - scripted 429",
      },
      {
        "kind": "key-missing",
        "text": "No LLM model was specified and no API keys were provided.",
      },
    ]
  `);
});

test('the tokens of several answers are added up, the cost is that of the session', () => {
  const reader = createAiderReader();
  reader.readLine('litellm.RateLimitError: too many');
  reader.readLine('Tokens: 12k sent, 1.5k cache write, 3.1k cache hit, 350 received.');
  reader.readLine('Cost: $0.12 message, $0.12 session.');
  reader.readLine('Tokens: 999 sent, 1.2k received. Cost: $0.01 message, $1,234.13 session.');
  expect(reader.usage()).toEqual({ inputTokens: 12_999, outputTokens: 1550, costUsd: 1234.13 });
  expect(reader.problem()).toBeUndefined();
});
