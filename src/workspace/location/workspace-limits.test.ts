import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { type LimitsRequest, requireWithinLimits } from './workspace-limits.js';

const room = (limits: LimitsRequest['limits'], bytes: () => Promise<number> = async () => 5 * 1024 ** 2) =>
  requireWithinLimits({
    limits,
    existing: { count: 3, bytes },
    freeable: async () => '2 workspaces (1.5 GB)',
    root: tempDir(),
  });

test('without limits nothing is measured', async () => {
  await room({}, () => Promise.reject(new Error('measured')));
});

test('below every limit there is room', async () => {
  await room({ count: 4, bytes: 6 * 1024 ** 2, freeDisk: 1 });
});

test('reports the limit, the current and allowed values and what could be freed', async () => {
  await expect(room({ count: 3 })).rejects.toMatchObject({
    code: 'LIMIT_REACHED',
    message: 'the number of workspaces would be 4; allowed: 3; gc could free 2 workspaces (1.5 GB)',
    details: {
      limit: 'the number of workspaces',
      found: '4',
      allowed: '3',
      freeable: '2 workspaces (1.5 GB)',
    },
  });
});

test('bytes at the limit leave no room', async () => {
  await expect(room({ bytes: 5 * 1024 ** 2 })).rejects.toMatchObject({
    code: 'LIMIT_REACHED',
    details: { limit: 'the size of all workspaces', found: 'more than 5.0 MB', allowed: '5.0 MB' },
  });
});

test('too little free disk space leaves no room', async () => {
  await expect(room({ freeDisk: 1024 ** 6 })).rejects.toMatchObject({
    code: 'LIMIT_REACHED',
    details: { limit: expect.stringMatching(/^the free disk space at /), allowed: 'no less than 1048576 TB' },
  });
});
