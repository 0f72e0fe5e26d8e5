import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { findDelegated } from './cgroup-place.js';

const OWN = '/user.slice/user@1000.service/app.slice/terminal.scope';

/** Directories with those of the kernel's files that are read. */
function makeHierarchy(handedDown: Record<string, string>): string {
  const mount = tempDir();
  mkdirSync(join(mount, OWN), { recursive: true });
  for (const [group, controllers] of Object.entries(handedDown)) {
    writeFileSync(join(mount, group, 'cgroup.subtree_control'), `${controllers}\n`);
    writeFileSync(join(mount, group, 'cgroup.procs'), '');
  }
  return mount;
}

test('version 2: uses the nearest group above ours that delegates controllers', () => {
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

test('a group that delegates nothing is skipped, and our own never counts, because we are in it', () => {
  const mount = makeHierarchy({
    [OWN]: 'cpu memory pids',
    '/user.slice/user@1000.service/app.slice': '',
    '/user.slice/user@1000.service': 'cpu',
  });
  const directory = join(mount, '/user.slice/user@1000.service');
  expect(findDelegated(mount, OWN)).toEqual({ version: 2, directories: { cpu: directory } });
});

test('where no group delegates, or we are at the top, there is none', () => {
  expect(findDelegated(makeHierarchy({ '/': '' }), OWN)).toBeUndefined();
  expect(findDelegated(makeHierarchy({ '/': 'cpu memory pids' }), '/')).toBeUndefined();
});
