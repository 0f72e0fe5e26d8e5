import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/helpers/temp.js';
import { requirePart } from '../../../test/parts/required-part.js';
import { parseBundle } from './parse-bundle.js';
import { packFiles } from './sandbox-handoff.js';
import { COLLECT_SCRIPT, PLACE_SCRIPT } from './sandbox-handoff-scripts.js';

const FILES = new Map([
  ['prompt.md', Buffer.from('a prompt without an end')],
  ['inputs/deep/zeros', Buffer.alloc(100_000)],
  ['inputs/last', Buffer.from('\n\nlast')],
]);

const place = (
  shell: readonly string[],
  handoff: string,
  env: NodeJS.ProcessEnv = process.env,
  input?: Buffer,
) => {
  const { args, bundle } = packFiles(handoff, FILES);
  const [program = 'sh', ...before] = shell;
  return spawnSync(program, [...before, '-c', PLACE_SCRIPT, 'sh', dirname(dirname(handoff)), ...args], {
    input: input ?? bundle,
    env,
  });
};

test('an image that has only busybox is enough', context => {
  const applets = join(tempDir(), 'applets');
  mkdirSync(applets);
  const isThere = spawnSync('busybox', ['--install', '-s', applets]).status === 0;
  requirePart(context, isThere, 'busybox');
  const handoff = join(tempDir(), 'desks/task/stage-1');
  const env = { PATH: applets };
  expect(place(['busybox', 'sh'], handoff, env)).toMatchObject({ status: 0, stderr: Buffer.alloc(0) });
  for (const [path, content] of FILES) expect(readFileSync(join(handoff, path)).equals(content)).toBe(true);
  writeFileSync(join(handoff, 'inputs/.hidden'), 'hidden');
  const found = execFileSync('busybox', ['sh', '-c', COLLECT_SCRIPT, 'sh', join(handoff, 'inputs')], { env });
  const { files, isWhole, warnings } = parseBundle(found);
  expect({ isWhole, warnings }).toEqual({ isWhole: true, warnings: [] });
  expect(files.map(({ path, content }) => [path, content.length])).toEqual([
    ['deep/zeros', 100_000],
    ['last', 6],
    ['.hidden', 6],
  ]);
});

test('incomplete files are a failure, and a link does not redirect the handoff directory', () => {
  const home = tempDir();
  const elsewhere = tempDir();
  const handoff = join(home, 'desks/task/stage-1');
  expect(place(['sh'], handoff, process.env, Buffer.from('short')).status).not.toBe(0);
  execFileSync('rm', ['-r', join(home, 'desks')]);
  symlinkSync(elsewhere, join(home, 'desks'));
  expect(place(['sh'], handoff).status).toBe(0);
  expect(readFileSync(join(handoff, 'inputs/last'), 'utf8')).toBe('\n\nlast');
  expect(execFileSync('ls', ['-A', elsewhere], { encoding: 'utf8' })).toBe('');
});

test('other output in place of a bundle is never accepted', () => {
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
