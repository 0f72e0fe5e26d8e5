import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { BINARY, useRealProcesses } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { tempDir } from '../../helpers/temp.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';

// Starting is what these are about.
beforeEach(useRealProcesses);

// A command pays only for what it uses. No clock here: what is run is what is paid.

/** The functions of the command line that V8 saw, with how often each piece of them ran. */
interface Coverage {
  readonly source: string;
  readonly ranges: readonly { startOffset: number; endOffset: number; count: number }[];
}

function cover(fixture: Fixture, ...args: string[]): Coverage {
  const directory = tempDir();
  const { status, stderr } = spawnSync(process.execPath, [BINARY, ...args], {
    cwd: fixture.repository,
    env: { ...fixture.carrel.env, NODE_V8_COVERAGE: directory },
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const [file = ''] = readdirSync(directory);
  const { result } = JSON.parse(readFileSync(join(directory, file), 'utf8'));
  const { url, functions } = result.find((script: { url: string }) => /carrel-\w+\.cjs$/.test(script.url));
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
  const fixture = makeFixture();
  expect(packagesRunBy(cover(fixture, '--help'))).toEqual([]);
});

test.each([['path', 'a'], ['ls', '--fast'], ['ls'], ['completion-names']])(
  '%s runs neither the schemas nor the YAML parser',
  (...args) => {
    const fixture = makeFixture();
    expect(packagesRunBy(cover(fixture, ...args))).toEqual(['kysely', 'commander']);
  },
);

thoroughTest('commands that need filters run them, so that the tests above can fail', () => {
  const fixture = makeFixture();
  expect(packagesRunBy(cover(fixture, 'schema', 'config'))).toContain('zod');
  const configured = makeFixture({ config: 'version: "1.0"\n' });
  expect(packagesRunBy(cover(configured, 'config', 'show'))).toEqual(expect.arrayContaining(['zod', 'yaml']));
});

/** Of the definitions of three commands. */
const OPTIONS = {
  up: /use this directory itself/,
  land: /land everything as one commit/,
  restore: /name of the restored workspace/,
};

thoroughTest('a command defines itself and no other', () => {
  const fixture = makeFixture();
  const definedBy = (...args: string[]) => {
    const coverage = cover(fixture, ...args);
    return Object.keys(OPTIONS).filter(name => hasRun(coverage, OPTIONS[name as keyof typeof OPTIONS]));
  };
  expect(definedBy('path', 'a')).toEqual([]);
  expect(definedBy('up', '--help')).toEqual(['up']);
});

test('compiled code is cached, one file per command, and commands run even when the cache is damaged', () => {
  const fixture = makeFixture();
  const caches = tempDir();
  const findPath = () =>
    fixture.carrel.runWith({ XDG_CACHE_HOME: caches }, fixture.repository, 'path', 'a').stdout.trimEnd();
  const directory = join(caches, 'carrel/code');
  const kept = () => readdirSync(directory).map(name => join(directory, name));
  expect(findPath()).toBe(fixture.path);
  const [file = '', ...others] = kept();
  expect(others).toEqual([]);
  expect(file).toMatch(/-path$/);

  writeFileSync(file, 'no code at all');
  expect(findPath()).toBe(fixture.path);
  expect(statSync(file).size).toBeGreaterThan(10_000);

  rmSync(directory, { recursive: true });
  writeFileSync(directory, 'a file where the directory would be');
  expect(findPath()).toBe(fixture.path);
});
