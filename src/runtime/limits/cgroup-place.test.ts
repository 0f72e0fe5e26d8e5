import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { findDelegated } from './cgroup-place.js';

const OWN = '/user.slice/user@1000.service/app.slice/terminal.scope';

/** Directories with the files that the kernel has there, as far as they are looked at. */
function makeHierarchy(handedDown: Record<string, string>): string {
  const mount = tempDir();
  mkdirSync(join(mount, OWN), { recursive: true });
  for (const [group, controllers] of Object.entries(handedDown)) {
    writeFileSync(join(mount, group, 'cgroup.subtree_control'), `${controllers}\n`);
    writeFileSync(join(mount, group, 'cgroup.procs'), '');
  }
  return mount;
}

test('of version 2 the nearest group above ours that hands controllers down is taken', () => {
  const mount = makeHierarchy({
    '/': 'cpu memory pids',
    '/user.slice/user@1000.service': 'memory pids',
    '/user.slice/user@1000.service/app.slice': 'memory pids io',
  });
  const directory = join(mount, '/user.slice/user@1000.service/app.slice');
  expect(findDelegated(mount, OWN)).toEqual({
    version: 2,
    directories: { memory: directory, pids: directory },
  });
});

test('a group that hands nothing down is passed over, and our own never counts, because we are in it', () => {
  const mount = makeHierarchy({
    [OWN]: 'cpu memory pids',
    '/user.slice/user@1000.service/app.slice': '',
    '/user.slice/user@1000.service': 'cpu',
  });
  const directory = join(mount, '/user.slice/user@1000.service');
  expect(findDelegated(mount, OWN)).toEqual({ version: 2, directories: { cpu: directory } });
});

test('where nobody hands anything down, or we are at the top, there is none', () => {
  expect(findDelegated(makeHierarchy({ '/': '' }), OWN)).toBeUndefined();
  expect(findDelegated(makeHierarchy({ '/': 'cpu memory pids' }), '/')).toBeUndefined();
});
