import { expect, test } from 'vitest';
import { formatRealm, isAnotherMachine, isSameRealm, parseRealm } from './process-realm.js';

const here = { boot: 'boot-1', namespace: 'pid:[1]', machine: 'm1' };

test('a realm is stored as one text, and a record of an earlier version has no machine', () => {
  expect(parseRealm(formatRealm(here))).toEqual(here);
  expect(parseRealm('boot-1 pid:[1]')).toEqual({ ...here, machine: undefined });
});

test('processes can be looked up within one boot and pid namespace, whatever the machine calls itself', () => {
  expect(isSameRealm('boot-1 pid:[1] m1', 'boot-1 pid:[1] renamed')).toBe(true);
  expect(isSameRealm('boot-1 pid:[1] m1', 'boot-1 pid:[1]')).toBe(true);
  expect(isSameRealm('boot-1 pid:[1] m1', 'boot-1 pid:[2] m1')).toBe(false);
  expect(isSameRealm('boot-1 pid:[1] m1', 'boot-2 pid:[1] m1')).toBe(false);
});

test('another machine differs in its boot and its own id', () => {
  const far = { ...here, boot: 'boot-2', machine: 'm2' };
  expect(isAnotherMachine(far, here)).toBe(true);
  expect(isAnotherMachine({ ...far, machine: 'm1' }, here)).toBe(false);
  expect(isAnotherMachine({ ...far, boot: 'boot-1' }, here)).toBe(false);
  expect(isAnotherMachine({ ...far, machine: undefined }, here)).toBe(false);
});
