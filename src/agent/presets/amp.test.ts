import { expect, test } from 'vitest';
import { requireAgentProgram } from '../../../test/helpers/agent-programs.js';
import { callAgent, presetAgent } from '../../../test/helpers/call-agent.js';
import { readRecorded } from '../../../test/helpers/recorded-agent.js';
import { makeRepository } from '../../../test/helpers/repository.js';
import { createAmpReader } from './amp-reader.js';

test('the real program takes the arguments, and without a key says so instead of waiting for a person', async context => {
  const PATH = requireAgentProgram(context, 'amp');
  const { ending } = await callAgent(presetAgent('amp'), { cwd: makeRepository(), environment: { PATH } });
  expect(ending).toBe('key-missing');
});

test('as documented: what was used is the sum of the messages, those from a cache included', () => {
  const reader = readRecorded(createAmpReader(), 'amp-documented.jsonl');
  expect([reader.usage(), reader.activity(), reader.message(), reader.problem()]).toMatchInlineSnapshot(`
    [
      {
        "costUsd": null,
        "inputTokens": 4615,
        "outputTokens": 46,
      },
      "All done.",
      "All done.",
      undefined,
    ]
  `);
});

test('as documented: an error is in the result', () => {
  const reader = createAmpReader();
  reader.readLine('{"type":"result","subtype":"error_during_execution","is_error":true,"error":"It broke."}');
  expect(reader.problem()).toEqual({ kind: 'agent-failed', text: 'It broke.' });
});
