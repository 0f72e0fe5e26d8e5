import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MACOS_FIXTURES, runAsMacos } from '../../../test/helpers/machine/macos.js';
import { createSysctlBoot } from './sysctl-boot.js';
import { runSystemProgram, type SystemProgram } from './system-program.js';

const printing =
  (answers: Readonly<Record<string, string>>): SystemProgram =>
  (_program, [, name = '']) => ({
    pid: 1,
    status: name in answers ? 0 : 1,
    stdout: answers[name] ?? '',
  });

test('on macOS the boot is the id of the boot session, read once', () => {
  let calls = 0;
  const boot = createSysctlBoot((program, args) => {
    calls++;
    return runAsMacos(program, args);
  });
  expect([boot(), boot()]).toEqual(Array(2).fill('6F1E0C52-9A3B-4B7C-8D55-0A2F4E1B9C77'));
  expect(calls).toBe(1);
});

test('without such an id it is the boot time in seconds', () => {
  const script = join(MACOS_FIXTURES, 'sysctl');
  const boot = createSysctlBoot((_program, args) =>
    runSystemProgram('env', ['MACOS_BOOT=old', script, ...args]),
  );
  expect(boot()).toBe('1763250000');
});

test.each([
  ['Apple silicon', '{ sec = 1731700000, usec = 0 } Fri Nov 15 19:46:40 2024\n', '1731700000'],
  ['another language', '{ sec = 1731700000, usec = 123 } Fr 15 Nov 19:46:40 2024\n', '1731700000'],
])('the time of the start is read on %s', (_where, output, expected) => {
  expect(createSysctlBoot(printing({ 'kern.boottime': output }))()).toBe(expected);
});

test.each([
  ['nothing', {}],
  ['an id that is none', { 'kern.bootsessionuuid': 'unknown\n' }],
  ['a number', { 'kern.boottime': '1731700000\n' }],
])('with %s it is an error, and never the same for every boot', (_what, answers) => {
  expect(createSysctlBoot(printing(answers))).toThrow('sysctl shows neither');
});
