import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createStandInSeatbelt, MACOS_FIXTURES } from '../../../test/helpers/machine/macos.js';

const probe = (change: Parameters<typeof createStandInSeatbelt>[0]) => createStandInSeatbelt(change).probe();

test('reports a system other than macOS', async () => {
  expect(await probe({ platform: 'linux' })).toMatchObject({
    runtime: 'seatbelt',
    obstacle: 'unsupported-system',
    message: 'it is part of macOS, and this is linux',
  });
});

test('reports a macOS without the program', async () => {
  expect(await probe({ program: '/nonexistent/sandbox-exec' })).toMatchObject({
    obstacle: 'not-installed',
    message: '/nonexistent/sandbox-exec was not found',
  });
});

test('reports a program that refuses, with its message', async () => {
  expect(await probe({ program: join(MACOS_FIXTURES, 'sandbox-exec-refused') })).toMatchObject({
    obstacle: 'refused',
    message: 'sandbox-exec: sandbox_apply: Operation not permitted',
    hint: 'run Carrel outside any other sandbox',
  });
});

test('a working seatbelt is reported as experimental, with the limits that it can enforce', async () => {
  expect(await probe({})).toEqual({
    runtime: 'seatbelt',
    obstacle: null,
    version: null,
    message: `${MACOS_FIXTURES}/sandbox-exec works`,
    hint: null,
    limits: ['fileSize', 'disk', 'time'],
    warnings: ['seatbelt is experimental and weaker than bubblewrap and containers: see the macOS guide'],
  });
});
