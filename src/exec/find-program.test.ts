import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/helpers/temp.js';
import { findProgramIn } from './find-program.js';

test('the first directory that has it as a program counts', () => {
  const place = tempDir();
  const empty = makeDirectory(place, 'empty');
  const text = makeDirectory(place, 'text');
  const folder = makeDirectory(place, 'folder');
  const real = makeDirectory(place, 'real');
  writeFileSync(join(text, 'tool'), 'no program', { mode: 0o644 });
  mkdirSync(join(folder, 'tool'));
  const program = makeProgram(real);
  expect(findProgramIn([empty, text, folder, real].join(':'), 'tool')).toBe(program);
  expect(findProgramIn(empty, 'tool')).toBeUndefined();
  expect(findProgramIn('', 'tool')).toBeUndefined();
});

test('relative directories do not count', () => {
  const place = tempDir();
  makeProgram(place);
  const before = process.cwd();
  process.chdir(place);
  try {
    expect(findProgramIn(':.::./', 'tool')).toBeUndefined();
  } finally {
    process.chdir(before);
  }
});

test('directories that agents write do not count, even through links', () => {
  const place = tempDir();
  const work = makeDirectory(place, 'work');
  const links = makeDirectory(place, 'links');
  const safe = makeDirectory(place, 'safe');
  const planted = makeProgram(work);
  symlinkSync(planted, join(links, 'tool'));
  symlinkSync(work, join(place, 'alias'));
  const program = makeProgram(safe);
  expect(findProgramIn(`${work}:${links}:${safe}`, 'tool')).toBe(planted);
  expect(findProgramIn(`${work}:${links}:${safe}`, 'tool', [work])).toBe(program);
  expect(findProgramIn(`${work}:${links}:${safe}`, 'tool', [join(place, 'alias')])).toBe(program);
  expect(findProgramIn(`${place}/work-not`, 'tool', [work, join(place, 'none')])).toBeUndefined();
});

function makeDirectory(place: string, name: string): string {
  mkdirSync(join(place, name));
  return join(place, name);
}

function makeProgram(directory: string): string {
  writeFileSync(join(directory, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
  return join(directory, 'tool');
}
