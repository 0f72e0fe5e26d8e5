import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { expect, test } from 'vitest';
import { listInherited } from '../child/start-child.js';
import { hasProc } from '../process/has-proc.js';
import { macosDescriptors, plainDescriptors, systemDescriptors } from './descriptors.js';

test.runIf(hasProc())('with /proc an open file has a name and a place', () => {
  const { nameOf, placeOf, noFollow } = systemDescriptors();
  const descriptor = openSync('/dev/null', 'r');
  expect(nameOf(descriptor)).toBe(`/proc/self/fd/${descriptor}`);
  expect(nameOf(descriptor, 7)).toBe(`/proc/7/fd/${descriptor}`);
  expect(placeOf(descriptor)).toBe(realpathSync('/dev/null'));
  expect(noFollow).toBe(constants.O_NOFOLLOW);
  closeSync(descriptor);
});

test('macOS has neither, but a flag that follows no link anywhere in a path', () => {
  expect([macosDescriptors.nameOf(3), macosDescriptors.placeOf(3)]).toEqual([undefined, undefined]);
  expect(macosDescriptors.noFollow).toBe(0x20000000);
  expect(plainDescriptors.noFollow).toBe(constants.O_NOFOLLOW);
});

test('without /proc every open descriptor counts as inheritable', () => {
  const descriptor = openSync('/dev/null', 'r');
  expect(listInherited(false)).toContain(descriptor);
  expect(listInherited(false).every(found => found > 2)).toBe(true);
  closeSync(descriptor);
});
