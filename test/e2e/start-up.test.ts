import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BINARY } from '../helpers/carrel.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { tempDir } from '../helpers/temp.js';

// A command pays only for what it uses. No clock here: what is run is what is paid.

/** The functions of the command line that V8 saw, with how often each piece of them ran. */
interface Coverage {
  readonly source: string;
  readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
}

function cover(desk: Desk, ...args: string[]): Coverage {
  const directory = tempDir();
  const { status, stderr } = spawnSync(process.execPath, [BINARY, ...args], {
    cwd: desk.repository,
    env: { ...desk.carrel.env, NODE_V8_COVERAGE: directory },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const [file = ''] = readdirSync(directory);
  const { result } = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const { url, functions } = result.find((script: { url: string }) => /cli-\w+\.cjs$/.test(script.url));
  return {
    source: readFileSync(fileURLToPath(url), 'latin1'),
    ranges: functions.flatMap(({ ranges }: Coverage) => ranges),
  };
}

/** Whether the code that this piece of text stands in was run. */
function hasRun({ source, ranges }: Coverage, text: RegExp): boolean {
  const at = source.search(text) - 1;
  expect(at, `${text} is in the command line`).toBeGreaterThan(0);
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= at && at < endOffset);
  const [innermost] = around.sort((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
  return innermost !== undefined && innermost.count > 0;
}

/** Something that only the package itself has in its code. */
const MARKS = {
  zod: /\$constructor\([`"]\$ZodType[`"]/,
  yaml: /class YAMLParseError|YAMLParseError=class/,
  kysely: /class Kysely\b|Kysely=class/,
  commander: /CommanderError=class/,
};

const packagesRunBy = (coverage: Coverage) =>
  Object.entries(MARKS)
    .filter(([, mark]) => hasRun(coverage, mark))
    .map(([name]) => name);

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

test('help runs none of the larger packages', () => {
  const desk = makeDesk();
  expect(packagesRunBy(cover(desk, '--help'))).toEqual([]);
});

test.each([['path', 'a'], ['ls', '--fast'], ['ls'], ['completion-names']])(
  '%s runs neither the schemas nor the YAML parser',
  (...args) => {
    const desk = makeDesk();
    expect(packagesRunBy(cover(desk, ...args))).toEqual(['kysely', 'commander']);
  },
);

test('what does need them runs them, so that the tests above can fail', () => {
  const desk = makeDesk();
  expect(packagesRunBy(cover(desk, 'schema', 'config'))).toContain('zod');
  const configured = makeDesk({ config: 'version: "1.0"\n' });
  expect(packagesRunBy(cover(configured, 'config', 'show'))).toEqual(expect.arrayContaining(['zod', 'yaml']));
});

/** Of the definitions of three commands. */
const OPTIONS = {
  up: /use this directory directly/,
  land: /land everything as one commit/,
  restore: /what to call the workspace/,
};

test('a command defines itself and no other', () => {
  const desk = makeDesk();
  const definedBy = (...args: string[]) => {
    const coverage = cover(desk, ...args);
    return Object.keys(OPTIONS).filter(name => hasRun(coverage, OPTIONS[name as keyof typeof OPTIONS]));
  };
  expect(definedBy('path', 'a')).toEqual([]);
  expect(definedBy('up', '--help')).toEqual(['up']);
});

test('the compiled code is kept, one file per command, and whatever happens to it a command still runs', () => {
  const desk = makeDesk();
  const caches = tempDir();
  const findPath = () =>
    desk.carrel.runWith({ XDG_CACHE_HOME: caches }, desk.repository, 'path', 'a').stdout.trimEnd();
  const directory = join(caches, 'carrel/code');
  const kept = () => readdirSync(directory).map(name => join(directory, name));
  expect(findPath()).toBe(desk.path);
  const [file = '', ...others] = kept();
  expect(others).toEqual([]);
  expect(file).toMatch(/-path$/);

  writeFileSync(file, 'no code at all');
  expect(findPath()).toBe(desk.path);
  expect(statSync(file).size).toBeGreaterThan(10_000);

  rmSync(directory, { recursive: true });
  writeFileSync(directory, 'a file where the directory would be');
  expect(findPath()).toBe(desk.path);
});
