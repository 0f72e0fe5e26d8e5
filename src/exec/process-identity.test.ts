import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identifyProcess, isAlive } from './process-identity.js';

const ourselves = () => {
  const identity = identifyProcess(process.pid);
  if (!identity) throw new Error('our own process was not found');
  return identity;
};

test('we are alive and always the same', () => {
  expect(isAlive(ourselves())).toBe('alive');
  expect(identifyProcess(process.pid)).toEqual(ourselves());
});

test('a process is alive until it has ended', async () => {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  const identity = identifyProcess(child.pid ?? 0);
  if (!identity) throw new Error('the child was not found');
  expect(isAlive(identity)).toBe('alive');
  child.stdin.end();
  await once(child, 'exit');
  expect(isAlive(identity)).toBe('dead');
  expect(identifyProcess(identity.pid)).toBeUndefined();
});

test('a pid that is used again is not the process that had it before', () => {
  expect(isAlive({ ...ourselves(), startedAt: '1' })).toBe('dead');
});

test('a process of another boot is dead, whatever runs under its pid now', () => {
  const [, namespace] = ourselves().realm.split(' ');
  expect(isAlive({ ...ourselves(), realm: `00000000-0000-4000-8000-000000000000 ${namespace}` })).toBe(
    'dead',
  );
});

test('of a process in another pid namespace of this boot we know nothing', () => {
  const [boot] = ourselves().realm.split(' ');
  expect(isAlive({ ...ourselves(), realm: `${boot} pid:[1]` })).toBe('unknown');
});
