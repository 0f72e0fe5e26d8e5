import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { BINARY } from '../helpers/carrel.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { tempDir } from '../helpers/temp.js';

// A command pays only for what it uses. No clock here: what is loaded is what is paid.

const LIST_LOADED = pathToFileURL(resolve('test/fixtures/start-up/list-loaded.mjs')).href;

/** The files that a command loads, without those of Node itself. */
function listLoaded(desk: Desk, ...args: string[]): string[] {
  const log = join(tempDir(), 'loaded');
  const { status, stderr } = spawnSync(process.execPath, ['--import', LIST_LOADED, BINARY, ...args], {
    cwd: desk.repository,
    env: { ...desk.carrel.env, LOADED_MODULES: log },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const urls = readFileSync(log, 'utf8').trim().split('\n');
  return urls.filter(url => url.startsWith('file:')).map(url => fileURLToPath(url));
}

/** Something that only the package itself has in its code. */
const MARKS = {
  zod: '$constructor("$ZodType"',
  yaml: 'class YAMLParseError',
  kysely: 'class Kysely',
  commander: 'class CommanderError',
};

/** The packages whose code the bundler has put into these files. */
function packagesIn(files: readonly string[]): string[] {
  const texts = files.map(file => readFileSync(file, 'utf8').replaceAll(/var (\w+) = class\b/g, 'class $1'));
  return Object.entries(MARKS)
    .filter(([, mark]) => texts.some(text => text.includes(mark)))
    .map(([name]) => name);
}

test('--version needs nothing but the way in and package.json', () => {
  const directory = tempDir();
  cpSync(BINARY, join(directory, 'bin/carrel.cjs'));
  cpSync(join(dirname(BINARY), '../package.json'), join(directory, 'package.json'));
  const { stdout, stderr } = spawnSync(process.execPath, [join(directory, 'bin/carrel.cjs'), '--version'], {
    encoding: 'utf8',
  });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect({ stdout, stderr }).toEqual({ stdout: `${version}\n`, stderr: '' });
});

test('help loads no command, no store and none of the larger packages', () => {
  const desk = makeDesk();
  expect(packagesIn(listLoaded(desk, '--help'))).toEqual([]);
});

test.each([['path', 'a'], ['ls', '--fast'], ['ls'], ['completion-names']])(
  '%s loads neither the schemas nor the YAML parser',
  (...args) => {
    const desk = makeDesk();
    const packages = packagesIn(listLoaded(desk, ...args));
    expect(packages).toEqual(['kysely', 'commander']);
  },
);

test('what does need them loads them, so that the tests above can fail', () => {
  const desk = makeDesk();
  expect(packagesIn(listLoaded(desk, 'schema', 'config'))).toContain('zod');
  const configured = makeDesk({ config: 'version: "1.0"\n' });
  expect(packagesIn(listLoaded(configured, 'config', 'show'))).toEqual(
    expect.arrayContaining(['zod', 'yaml']),
  );
});

test('a command loads its own file and none of another', () => {
  const desk = makeDesk();
  const names = listLoaded(desk, 'path', 'a').map(file => /chunks\/(.+)-[\w-]{8}\.js$/.exec(file)?.[1]);
  expect(names).toContain('path');
  for (const other of ['up', 'land', 'restore', 'gc', 'doctor', 'create-workspace'])
    expect(names).not.toContain(other);
});
