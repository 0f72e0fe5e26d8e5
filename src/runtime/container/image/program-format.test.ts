import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import { runProcess } from '../../../exec/run-process.js';
import { readFormat } from './program-format.js';
import { listSharedLibraries } from './shared-libraries.js';

function write(bytes: readonly number[]): string {
  const file = join(tempDir(), 'program');
  writeFileSync(file, Buffer.from(bytes));
  return file;
}

const MACH_O = [0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1];
const UNIVERSAL = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2];

test('programs of Linux and of macOS are distinguished by their first bytes', async () => {
  expect(await readFormat(write([0x7f, 0x45, 0x4c, 0x46, 2]))).toBe('elf');
  expect(await readFormat(write(MACH_O))).toBe('mach-o');
  expect(await readFormat(write(UNIVERSAL))).toBe('mach-o');
  expect(await readFormat(write([...Buffer.from('#!/bin/sh\n')]))).toBe('other');
  expect(await readFormat(write([]))).toBe('other');
});

test('no image is built from macOS programs', async () => {
  const options = { run: runProcess, searchPath: '/usr/bin:/bin' };
  await expect(listSharedLibraries(options, [write(MACH_O)])).rejects.toMatchObject({
    code: 'IMAGE_MISSING',
    details: { problem: 'macOS programs do not run in a container; set an image' },
  });
});
