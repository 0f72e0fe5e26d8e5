import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { findOwnerState, identifyProcess, isAlive } from './identify-process.js';
import { formatRealm, parseRealm } from './process-realm.js';

const ourselves = () => {
  const identity = identifyProcess(process.pid);
  if (!identity) throw new Error('our own process was not found');
  return identity;
};

test('this process is alive, and its identity does not change', () => {
  expect(isAlive(ourselves())).toBe('alive');
  expect(identifyProcess(process.pid)).toEqual(ourselves());
});

test('a process is alive until it exits', async () => {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  const identity = identifyProcess(child.pid ?? 0);
  if (!identity) throw new Error('the child was not found');
  expect(isAlive(identity)).toBe('alive');
  child.stdin.end();
  await once(child, 'exit');
  expect(isAlive(identity)).toBe('dead');
  expect(identifyProcess(identity.pid)).toBeUndefined();
});

test('a reused pid is not the earlier process', () => {
  expect(isAlive({ ...ourselves(), startedAt: '1' })).toBe('dead');
});

const elsewhere = (change: Partial<ReturnType<typeof parseRealm>>) => {
  const realm = formatRealm({ ...parseRealm(ourselves().realm), ...change });
  return { ...ourselves(), realm };
};
const boot = '00000000-0000-4000-8000-000000000000';

test('a process of another boot of this machine is dead, even if its pid is in use now', () => {
  expect(isAlive(elsewhere({ boot }))).toBe('dead');
  expect(isAlive(elsewhere({ boot, machine: undefined }))).toBe('dead');
});

test('the state of a process in an invisible pid namespace of this boot is unknown', () => {
  expect(isAlive(elsewhere({ namespace: 'pid:[1]' }))).toBe('unknown');
  expect(findOwnerState(elsewhere({ namespace: 'pid:[1]' }))).toBe('unknown');
});

test('the state of a process on another machine is unknown, but it holds nothing in our state directory', () => {
  expect(isAlive(elsewhere({ boot, machine: 'another' }))).toBe('unknown');
  expect(findOwnerState(elsewhere({ boot, machine: 'another' }))).toBe('dead');
});

test('a machine that was renamed is still the same one', () => {
  expect(isAlive(elsewhere({ machine: 'renamed' }))).toBe('alive');
});
