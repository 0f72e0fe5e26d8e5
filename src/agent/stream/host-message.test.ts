import { expect, test } from 'vitest';
import { createAmpReader } from '../readers/amp-reader.js';
import { createCopilotReader } from '../readers/copilot-reader.js';
import { createGeminiReader } from '../readers/gemini-reader.js';
import { createQwenReader } from '../readers/qwen-reader.js';
import type { AgentProblem, ResultReader } from '../result-reader.js';
import { describeHostMessage } from './host-message.js';

test.each<[string, AgentProblem['kind'], number?]>([
  ['[API Error: Resource has been exhausted (e.g. check quota).]', 'rate-limited'],
  ['[API Error: got status: 429 Too Many Requests. {}]', 'rate-limited'],
  ['[API Error: 429 status code (no body)]', 'rate-limited'],
  ['[API Error: 502 Bad Gateway]', 'host-failed'],
  ['[API Error: 401 invalid token]', 'key-missing'],
  ['Sorry, you\u2019ve hit a rate limit. Please try again in 2 hours.', 'rate-limited', 7_200_000],
  ['Sorry, you have been rate-limited. Please wait 2 minutes before trying again', 'rate-limited', 120_000],
  ['Model call failed: {"message":"x","code":"rate_limited"}', 'rate-limited'],
  ['Failed to get response from the AI model; retried 5 times', 'host-failed'],
  ['[API Error: Request timeout after 64s. Try reducing input length]', 'host-failed'],
  ['[API Error: exception TypeError: fetch failed sending request]', 'host-failed'],
  ['connect ECONNREFUSED 127.0.0.1:1', 'host-failed'],
  ['Overloaded', 'rate-limited'],
  ['the tool "x" does not exist', 'agent-failed'],
])('%s', (message, kind, retryAfterMs) => {
  expect(describeHostMessage(message)).toMatchObject({ kind, ...(retryAfterMs && { retryAfterMs }) });
});

const readAll = (reader: ResultReader, ...events: readonly object[]): AgentProblem | undefined => {
  for (const event of events) reader.readLine(JSON.stringify(event));
  return reader.problem();
};

test('the same table applies to each program', () => {
  const message = '[API Error: Resource has been exhausted (e.g. check quota).]';
  expect(
    readAll(createGeminiReader(), { type: 'result', status: 'error', error: { message }, stats: {} }),
  ).toMatchObject({ kind: 'rate-limited' });
  expect(
    readAll(createQwenReader(), { type: 'system', subtype: 'init' }, { type: 'result', result: message }),
  ).toMatchObject({ kind: 'rate-limited' });
  expect(
    readAll(createCopilotReader(), {
      type: 'session.error',
      data: { message: 'Sorry, you have been rate-limited. Please wait 2 minutes' },
    }),
  ).toMatchObject({ kind: 'rate-limited', retryAfterMs: 120_000 });
  expect(
    readAll(createAmpReader(), { type: 'result', is_error: true, error: '429 rate_limit_error' }),
  ).toMatchObject({ kind: 'rate-limited' });
});

test('the reason for waiting is known until the next event', () => {
  for (const reader of [createGeminiReader(), createQwenReader()]) {
    reader.readErrorLine('Attempt 1 failed with status 429. Retrying with backoff... ApiError: {}');
    expect(reader.waitsFor?.()).toMatchObject({ kind: 'rate-limited' });
    reader.readLine(JSON.stringify({ type: 'message', role: 'assistant', content: 'x' }));
    expect(reader.waitsFor?.()).toBeUndefined();
  }
  const copilot = createCopilotReader();
  copilot.readLine(JSON.stringify({ type: 'assistant.turn_retry', data: { reason: 'an error' } }));
  expect(copilot.waitsFor?.()).toMatchObject({ kind: 'host-failed' });
  copilot.readLine(JSON.stringify({ type: 'assistant.message', data: { content: 'done' } }));
  expect(copilot.waitsFor?.()).toBeUndefined();
});
