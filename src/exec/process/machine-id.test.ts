import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { createMachineId, readHardwareId, readMachineId } from './machine-id.js';
import type { SystemProgram } from './system-program.js';

test('the id of a machine is a hash, looked up once', () => {
  let looks = 0;
  const machine = createMachineId(() => `secret ${++looks}`);
  expect(machine()).toMatch(/^[0-9a-f]{16}$/);
  expect(machine()).toBe(machine());
  expect(looks).toBe(1);
  expect(createMachineId(() => 'another')()).not.toBe(machine());
});

test('machines created from one image differ by host name', () => {
  expect(readMachineId().endsWith(`\0${hostname()}`)).toBe(true);
});

test('macOS is identified by its hardware, FreeBSD by its host id, others by their name', () => {
  const answering =
    (answers: Readonly<Record<string, string>>): SystemProgram =>
    program => {
      const stdout = answers[program];
      if (stdout === undefined) throw new Error(`${program} is not installed`);
      return { pid: 1, status: 0, stdout };
    };
  const ioreg = '    | "IOPlatformUUID" = "9F2C0C52-0000-4B7C-8D55-0A2F4E1B9C77"\n';
  expect(readHardwareId(answering({ ioreg, sysctl: 'x\n' }))).toBe('9F2C0C52-0000-4B7C-8D55-0A2F4E1B9C77');
  expect(readHardwareId(answering({ sysctl: 'host-uuid\n' }))).toBe('host-uuid');
  expect(readHardwareId(answering({}))).toBe(hostname());
});
