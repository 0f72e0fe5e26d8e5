import { expect, test } from 'vitest';
import { createInspectionMeter } from './inspection-meter.js';

test('an inspection stops at its limit of entries and of time', () => {
  let now = 0;
  const create = () => createInspectionMeter('/tree', { entries: 10, milliseconds: 1000 }, () => now);
  const crowd = create();
  crowd.count(10);
  expect(() => crowd.count(1)).toThrow(
    '/tree is too large to scan: it has more than 10 files and directories',
  );
  const slow = create();
  slow.count(1);
  now = 1001;
  expect(() => slow.count(1)).toThrow('it took more than 1 seconds');
});
