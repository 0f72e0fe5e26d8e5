import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { type RoomRequest, requireRoom } from './limits.js';

const room = (limits: RoomRequest['limits'], bytes: () => Promise<number> = async () => 5 * 1024 ** 2) =>
  requireRoom({
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

test('one workspace too many names the limit, what was found, what is allowed and what could be freed', async () => {
  await expect(room({ count: 3 })).rejects.toMatchObject({
    code: 'LIMIT_REACHED',
    message: 'the number of workspaces would be 4; allowed is 3; gc could free 2 workspaces (1.5 GB)',
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

test('a reserve of free disk that is not there leaves no room', async () => {
  await expect(room({ freeDisk: 1024 ** 6 })).rejects.toMatchObject({
    code: 'LIMIT_REACHED',
    details: { limit: expect.stringMatching(/^the free disk space at /), allowed: 'no less than 1048576 TB' },
  });
});
