import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { useBubblewrapPrograms } from '../../../test/helpers/sandbox/bubblewrap-programs.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { requireBubblewrap } from '../../../test/parts/bubblewrap.js';
import { requirePart } from '../../../test/parts/required-part.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { identifyProcess } from '../../exec/process/identify-process.js';
import { createNap, eventually, findNapping } from '../contract/traces.js';
import { createGroup, GROUPS_FOLDER } from './cgroup.js';
import { type CgroupPlace, findCgroupPlace } from './cgroup-place.js';
import { cleanUpGroups, listGroups, nameGroup } from './remove-cgroup.js';

const self = identifyProcess(process.pid) as ProcessIdentity;
const start = useBubblewrapPrograms();
let count = 0;
const owner = { self, unique: () => `test${count++}` };
const LIMITS = { memory: 64 * 1024 ** 2, memorySwap: 96 * 1024 ** 2, pids: 10, cpu: 1.5 };

test('version 2: the settings are in the group of the workspace and in that of the command', () => {
  const directory = tempDir();
  const place: CgroupPlace = {
    version: 2,
    directories: { memory: directory, pids: directory, cpu: directory },
  };
  const group = createGroup(place, LIMITS, 'ws_two', 'name');
  const ofWorkspace = join(directory, GROUPS_FOLDER, 'ws_two');
  for (const target of [ofWorkspace, join(ofWorkspace, 'name')]) {
    expect(readFileSync(join(target, 'memory.max'), 'utf8')).toBe('67108864');
    expect(readFileSync(join(target, 'pids.max'), 'utf8')).toBe('12');
    expect(readFileSync(join(target, 'cpu.max'), 'utf8')).toBe('150000 100000');
  }
  for (const above of [join(directory, GROUPS_FOLDER), ofWorkspace]) {
    expect(readFileSync(join(above, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu');
  }
  expect(group.memberFiles).toEqual([join(ofWorkspace, 'name', 'cgroup.procs')]);
});

test('version 2: the counters show which limit was reached', () => {
  const directory = tempDir();
  const place: CgroupPlace = { version: 2, directories: { memory: directory, pids: directory } };
  const group = createGroup(place, LIMITS, 'ws_two', 'name');
  const own = join(directory, GROUPS_FOLDER, 'ws_two', 'name');
  writeFileSync(join(own, 'memory.events'), 'low 0\nmax 12\noom 1\noom_kill 0\n');
  writeFileSync(join(own, 'pids.events'), 'max 0\n');
  expect(group.findHits()).toEqual([]);
  writeFileSync(join(own, 'memory.events'), 'low 0\nmax 12\noom 1\noom_kill 1\n');
  writeFileSync(join(own, 'pids.events'), 'max 4\n');
  expect(group.findHits()).toEqual(['memory', 'pids']);
});

test('groups without a limit are not created', () => {
  const directory = tempDir();
  const place: CgroupPlace = { version: 1, directories: { memory: directory } };
  expect(createGroup(place, { pids: 3, time: 5 }, 'ws_none', 'name').memberFiles).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

test('two commands of a workspace share its group, and the last one removes it', async context => {
  const place = requirePlace(context);
  const [one, two] = [nameGroup(owner), nameGroup(owner)].map(name =>
    createGroup(place, LIMITS, 'ws_shared', name),
  );
  expect(listGroups(place, GROUPS_FOLDER)).toContain('ws_shared');
  await one?.remove();
  expect(listGroups(place, GROUPS_FOLDER)).toContain('ws_shared');
  cleanUpGroups(place, GROUPS_FOLDER);
  expect(two?.memberFiles.every(file => existsSync(file))).toBe(true);
  await two?.remove();
  await two?.remove();
  expect(listGroups(place, GROUPS_FOLDER)).not.toContain('ws_shared');
});

test('a limit that the kernel refuses leaves no group behind', async context => {
  const place = requirePlace(context);
  const impossible = { memory: 64 * 1024 ** 2, cpu: 10 ** 15 };
  expect(() => createGroup(place, impossible, 'ws_impossible', nameGroup(owner))).toThrow();
  expect(listGroups(place, GROUPS_FOLDER)).not.toContain('ws_impossible');
});

test('groups of a Carrel that was killed are removed by the next one', async context => {
  requireBubblewrap(context);
  const place = requirePlace(context);
  const nap = createNap();
  const id = `ws_swept${nap.slice(4)}`;
  const program = start(
    `const sandbox = await runtime.open(args[0], { ...policy, limits: { memory: 2 ** 28, pids: 50 } });
     await sandbox.run({ command: ['sh', '-c', args[1]] });`,
    id,
    `exec sleep ${nap}`,
  );
  await eventually('the sleeper', () => findNapping(nap).length === 1);
  cleanUpGroups(place, GROUPS_FOLDER);
  expect(listGroups(place, GROUPS_FOLDER)).toContain(id);
  program.kill();
  await program.ended;
  await eventually('the end of it', () => findNapping(nap).length === 0);
  await eventually('the end of its group', () => {
    cleanUpGroups(place, GROUPS_FOLDER);
    return !listGroups(place, GROUPS_FOLDER).includes(id);
  });
});

test('a directory that is not our group is left alone', () => {
  const directory = tempDir();
  const place: CgroupPlace = { version: 1, directories: { memory: directory } };
  mkdirSync(join(directory, 'somebody'));
  cleanUpGroups(place, GROUPS_FOLDER);
  expect(readdirSync(directory)).toEqual(['somebody']);
});

function requirePlace(context: TestContext): CgroupPlace {
  const place = findCgroupPlace();
  requirePart(context, place?.directories.memory !== undefined, 'control groups');
  return place as CgroupPlace;
}
