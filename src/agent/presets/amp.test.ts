import { expect, test } from 'vitest';
import { requireAgentProgram } from '../../../test/helpers/agent/agent-programs.js';
import { callAgent, presetAgent } from '../../../test/helpers/agent/call-agent.js';
import { readRecorded } from '../../../test/helpers/agent/recorded-agent.js';
import { makeRepository } from '../../../test/helpers/repository.js';
import { createAmpReader } from '../readers/amp-reader.js';

test('the real program accepts the arguments, and reports a missing key', async context => {
  const PATH = requireAgentProgram(context, 'amp');
  // It reads the prompt's first line as a login code, which is refused.
  const call = { cwd: makeRepository(), prompt: 'Do nothing.\n', environment: { PATH } };
  const { ending } = await callAgent(presetAgent('amp'), call);
  expect(ending).toBe('key-missing');
});

test('as documented: usage is the sum of the messages, including cached tokens', () => {
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
