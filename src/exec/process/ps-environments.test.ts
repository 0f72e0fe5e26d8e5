import { expect, test } from 'vitest';
import { createPsEnvironments } from './ps-environments.js';
import type { SystemProgram } from './system-program.js';

/** Answers like `ps`: without environments, and with them for the option that it supports. */
function createPs(plain: string, option: string, both: string) {
  const calls: string[] = [];
  const run: SystemProgram = (_program, [first = '']) => {
    calls.push(first);
    if (first === '-axww') return { pid: 1, status: 0, stdout: plain };
    return first === option ? { pid: 1, status: 0, stdout: both } : { pid: 1, status: 1, stdout: '' };
  };
  return { run, calls };
}

test('macOS prints the environment after the command', () => {
  const plain = '  501 node server.js --name=A B=1\n 502 (ssh)\n';
  const both =
    '  501 node server.js --name=A B=1 HOME=/Users/me MESSAGE=two words CARREL_COMMAND_ID=op_1\n 502 (ssh)\n';
  const environmentOf = createPsEnvironments(createPs(plain, '-axEww', both).run)();
  expect(environmentOf(501)).toBe('\0HOME=/Users/me\0MESSAGE=two words\0CARREL_COMMAND_ID=op_1\0');
  expect([environmentOf(502), environmentOf(503)]).toEqual([undefined, undefined]);
});

test('FreeBSD prints it before the command', () => {
  const environmentOf = createPsEnvironments(createPs(' 7 sh -c x\n', 'axeww', ' 7 A=1 B=2 sh -c x\n').run)();
  expect(environmentOf(7)).toBe('\0A=1\0B=2\0');
});

test('a process that became another program in between has none', () => {
  const environmentOf = createPsEnvironments(createPs(' 7 sh -c x\n', '-axEww', ' 7 cat A=1\n').run)();
  expect(environmentOf(7)).toBeUndefined();
});

test('the option that works is reused, and without one nothing is found', () => {
  const { run, calls } = createPs('', 'axeww', '');
  const read = createPsEnvironments(run);
  read();
  read();
  expect(calls).toEqual(['-axww', '-axEww', 'axeww', '-axww', 'axeww']);
  expect(createPsEnvironments(createPs(' 7 cat\n', 'none', '').run)()(7)).toBeUndefined();
});
