import { expect, test } from 'vitest';
import { withoutProc } from '../../../../test/helpers/machine/macos.js';
import { systemProcesses } from '../../../exec/process/process-table.js';
import { identifyMain } from './open-container.js';

test('one of our processes that happens to have the pid of a container in a virtual machine is not its first process', () => {
  expect(identifyMain(process.pid)).toBeUndefined();
  expect(identifyMain(process.pid, withoutProc())).toBeUndefined();
  expect(identifyMain(0)).toBeUndefined();
});

test('a process in another pid namespace, or in one that we may not see, is', () => {
  const system = systemProcesses();
  for (const namespace of ['pid:[1]', undefined]) {
    const namespaceOf = (pid?: number) => (pid === undefined ? 'pid:[4026531836]' : namespace);
    expect(identifyMain(process.pid, { ...system, namespaceOf })).toMatchObject({ pid: process.pid });
  }
});
