import { expect, test } from 'vitest';
import { createJsonReader } from './json-reader.js';
import { createTextReader } from './text-reader.js';

const UNUSED = { inputTokens: 0, outputTokens: 0, costUsd: null };

test('the last message of a text is its last lines, without escape codes and within bounds', () => {
  const reader = createTextReader();
  for (let count = 0; count < 1000; count += 1) reader.readLine(`line ${count}`);
  reader.readLine('x'.repeat(1024 * 1024));
  reader.readLine('\u001b[32mdone\u001b[0m');
  reader.readLine('');
  const lines = reader.message()?.split('\n') ?? [];
  expect(lines.at(-1)).toBe('done');
  expect(lines.at(-2)).toHaveLength(4096);
  expect(lines.length).toBeLessThan(210);
  expect([reader.usage(), reader.problem()]).toEqual([UNUSED, undefined]);
});

test('a program without output has no last message', () => {
  const reader = createTextReader();
  reader.readLine('  ');
  expect(reader.message()).toBeUndefined();
});

test('of JSON lines the latest usage and message count, in either spelling', () => {
  const reader = createJsonReader();
  reader.readLine('{"usage":{"inputTokens":10,"outputTokens":2}}');
  expect(reader.usage()).toEqual({ inputTokens: 10, outputTokens: 2, costUsd: null });
  reader.readLine('not JSON');
  reader.readLine('{"message":"half');
  reader.readLine('{"usage":{"input_tokens":30,"output_tokens":4,"cost_usd":0.5},"result":"all done"}');
  expect(reader.usage()).toEqual({ inputTokens: 30, outputTokens: 4, costUsd: 0.5 });
  expect(reader.message()).toBe('all done');
});

test('a document over many lines is read as well', () => {
  const reader = createJsonReader();
  const text = JSON.stringify({ usage: { inputTokens: 7, outputTokens: 1 }, total_cost_usd: 2 }, null, 2);
  for (const line of ['starting', ...text.split('\n'), 'bye']) reader.readLine(line);
  expect(reader.usage()).toEqual({ inputTokens: 7, outputTokens: 1, costUsd: 2 });
});

test('invalid figures are ignored', () => {
  const reader = createJsonReader();
  reader.readLine('{"usage":{"inputTokens":-5,"outputTokens":"many","costUsd":1e999},"result":5}');
  reader.readLine('{"usage":null}');
  reader.readLine('[1]');
  expect([reader.usage(), reader.message()]).toEqual([UNUSED, undefined]);
});
