import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requirePart } from '../../test/helpers/required-part.js';
import { tempDir } from '../../test/helpers/temp.js';
import { COLLECT_SCRIPT, PLACE_SCRIPT } from './inside-desk-scripts.js';
import { packFiles } from './pack-files.js';
import { parseBundle } from './parse-bundle.js';

const FILES = new Map([
  ['prompt.md', Buffer.from('a prompt without an end')],
  ['inputs/deep/zeros', Buffer.alloc(100_000)],
  ['inputs/last', Buffer.from('\n\nlast')],
]);

const place = (
  shell: readonly string[],
  desk: string,
  env: NodeJS.ProcessEnv = process.env,
  input?: Buffer,
) => {
  const { args, bundle } = packFiles(desk, FILES);
  const [program = 'sh', ...before] = shell;
  return spawnSync(program, [...before, '-c', PLACE_SCRIPT, 'sh', ...args], { input: input ?? bundle, env });
};

test('an image that has only busybox is enough', context => {
  const applets = join(tempDir(), 'applets');
  mkdirSync(applets);
  const isThere = spawnSync('busybox', ['--install', '-s', applets]).status === 0;
  requirePart(context, isThere, 'busybox');
  const desk = join(tempDir(), 'desks/task/stage-1');
  const env = { PATH: applets };
  expect(place(['busybox', 'sh'], desk, env)).toMatchObject({ status: 0, stderr: Buffer.alloc(0) });
  for (const [path, content] of FILES) expect(readFileSync(join(desk, path)).equals(content)).toBe(true);
  writeFileSync(join(desk, 'inputs/.hidden'), 'hidden');
  const found = execFileSync('busybox', ['sh', '-c', COLLECT_SCRIPT, 'sh', join(desk, 'inputs')], { env });
  const { files, isWhole, warnings } = parseBundle(found);
  expect({ isWhole, warnings }).toEqual({ isWhole: true, warnings: [] });
  expect(files.map(({ path, content }) => [path, content.length])).toEqual([
    ['deep/zeros', 100_000],
    ['last', 6],
    ['.hidden', 6],
  ]);
});

test('files that did not arrive whole are a failure, and a link does not lead the desk away', () => {
  const home = tempDir();
  const elsewhere = tempDir();
  const desk = join(home, 'desks/task/stage-1');
  expect(place(['sh'], desk, process.env, Buffer.from('short')).status).not.toBe(0);
  execFileSync('rm', ['-r', join(home, 'desks')]);
  symlinkSync(elsewhere, join(home, 'desks'));
  expect(place(['sh'], desk).status).toBe(0);
  expect(readFileSync(join(desk, 'inputs/last'), 'utf8')).toBe('\n\nlast');
  expect(execFileSync('ls', ['-A', elsewhere], { encoding: 'utf8' })).toBe('');
});

test('what is printed in the place of a bundle is never taken for more than it is', () => {
  const parse = (text: string) => parseBundle(Buffer.from(text));
  const file = { path: 'a', content: Buffer.from('x') };
  expect(parse('file 1 a\nx\nend\n')).toEqual({ files: [file], warnings: [], isWhole: true });
  for (const torn of ['', 'file 1 a\nx\n', 'file 1 a\nx\nfile 9 b\nx\nend\n', 'file 1 a\nx\nnonsense\nend\n'])
    expect(parse(torn).isWhole).toBe(false);
  expect(parse('file 1 a\nx\nfile 1e9 b\nx\nend\n').files).toEqual([file]);
  for (const path of ['../a', '/a', 'a/../b', 'a//b', 'a\x1b[2J', `${'a'.repeat(201)}`])
    expect(parse(`file 1 ${path}\nx\nend\n`)).toMatchObject({
      files: [],
      warnings: [expect.anything()],
      isWhole: true,
    });
});
