import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import type { Refusal } from './network-refusal.js';
import { openRefusalLog } from './refusal-log.js';

const refusal = (host: string, at = 0): Refusal => ({ at, host, port: 443, reason: 'not-allowed' });

test('each refusal is one line of JSON, repeated ones are written once, and all are counted', async () => {
  const file = join(tempDir(), 'refused.jsonl');
  const log = await openRefusalLog(file);
  for (const host of ['a.test', 'b.test', 'a.test']) log.add(refusal(host, 1_000));
  await log.close();
  expect(log.count()).toBe(3);
  expect(readFileSync(file, 'utf8')).toMatchInlineSnapshot(`
    "{"at":"1970-01-01T00:00:01.000Z","host":"a.test","port":443,"reason":"not-allowed"}
    {"at":"1970-01-01T00:00:01.000Z","host":"b.test","port":443,"reason":"not-allowed"}
    "
  `);
});

test('a command writes at most a few hundred lines', async () => {
  const file = join(tempDir(), 'refused.jsonl');
  const log = await openRefusalLog(file);
  for (let at = 0; at < 5_000; at += 1) log.add(refusal(`${at}.test`));
  await log.close();
  expect(log.count()).toBe(5_000);
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(200);
});

test('a large log keeps its newest complete lines', async () => {
  const file = join(tempDir(), 'refused.jsonl');
  const lines = Array.from({ length: 4_000 }, (_, at) =>
    JSON.stringify({ host: `${at}.test`, reason: 'not-allowed' }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  await (await openRefusalLog(file)).close();
  const kept = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(statSync(file).size).toBeLessThan(64 * 1024);
  expect(kept.length).toBeGreaterThan(1_000);
  expect(kept).toEqual(lines.slice(-kept.length));
});

test('an unwritable log stops nothing', async () => {
  const log = await openRefusalLog(join(tempDir(), 'missing', 'refused.jsonl'));
  log.add(refusal('a.test'));
  await log.close();
  expect(log.count()).toBe(1);
});
