import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { HEARTBEAT_MS } from '../../domain/process-identity.js';
import { isHeld, keepHeartbeat } from './heartbeat-file.js';

function hold() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const sign = { file: join(tempDir(), 'sign.json'), text: '{"pid":1}' };
  writeFileSync(sign.file, sign.text);
  utimesSync(sign.file, 1, 1);
  let losses = 0;
  const stop = keepHeartbeat(sign, () => {
    losses++;
  });
  onTestFinished(stop);
  return { sign, stop, losses: () => losses };
}

test('a holder renews the time of its file until it is done', () => {
  const { sign, stop, losses } = hold();
  vi.advanceTimersByTime(HEARTBEAT_MS / 2);
  expect(statSync(sign.file).mtimeMs).toBe(1000);
  vi.advanceTimersByTime(HEARTBEAT_MS);
  expect(statSync(sign.file).mtimeMs).toBeGreaterThan(1000);
  expect(readFileSync(sign.file, 'utf8')).toBe(sign.text);
  stop();
  utimesSync(sign.file, 1, 1);
  vi.advanceTimersByTime(3 * HEARTBEAT_MS);
  expect(statSync(sign.file).mtimeMs).toBe(1000);
  expect(losses()).toBe(0);
});

test.each([
  ['removed', (file: string) => rmSync(file)],
  [
    'replaced',
    (file: string) => {
      writeFileSync(`${file}.draft`, '{"pid":2}');
      renameSync(`${file}.draft`, file);
      utimesSync(file, 1, 1);
    },
  ],
] as const)('a holder whose file was %s notices once, and leaves it as it is', (_, take) => {
  const { sign, losses } = hold();
  take(sign.file);
  expect(isHeld(sign)).toBe(false);
  vi.advanceTimersByTime(3 * HEARTBEAT_MS);
  expect(losses()).toBe(1);
  expect(statSync(sign.file, { throwIfNoEntry: false })?.mtimeMs ?? 1000).toBe(1000);
});
