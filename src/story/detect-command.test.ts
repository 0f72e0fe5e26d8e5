import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { detectCommand } from './detect-command.js';

const detect = async (files: Readonly<Record<string, string>>) => {
  const root = tempDir();
  writeFiles(root, files);
  return [await detectCommand(root, 'compiles'), await detectCommand(root, 'tests_pass')];
};

const packaged = (content: object, more: Readonly<Record<string, string>> = {}) => ({
  'package.json': JSON.stringify(content),
  ...more,
});

const scripts = { build: 'x', test: 'x' };

test.each<[string, Readonly<Record<string, string>>, (string | undefined)[]]>([
  ['an npm project', packaged({ scripts }), ['npm run build', 'npm test']],
  ['a lockfile', packaged({ scripts }, { 'pnpm-lock.yaml': '' }), ['pnpm run build', 'pnpm test']],
  [
    'a named manager',
    packaged({ scripts, packageManager: 'yarn@4.1.0' }, { 'package-lock.json': '{}' }),
    ['yarn run build', 'yarn test'],
  ],
  [
    'types only',
    packaged({ scripts: { test: 'x' } }, { 'tsconfig.json': '{}' }),
    ['npx --no-install tsc --noEmit', 'npm test'],
  ],
  [
    'a crate beside a package without scripts',
    packaged({}, { 'Cargo.toml': '' }),
    ['cargo build --all-targets', 'cargo test'],
  ],
  ['a Go module', { 'go.mod': '' }, ['go build ./...', 'go test ./...']],
  ['a .NET solution', { 'App.sln': '' }, ['dotnet build', 'dotnet test']],
  ['Maven', { 'pom.xml': '' }, ['mvn -q -B compile', 'mvn -q -B test']],
  ['a Gradle wrapper', { 'build.gradle.kts': '', gradlew: '' }, ['./gradlew assemble', './gradlew test']],
  ['make', { Makefile: 'all:\ncheck: all\nTEST := 1\n' }, ['make', 'make check']],
  ['pytest', { 'requirements.txt': '', 'tests/test_a.py': '' }, [undefined, 'python3 -m pytest']],
  ['no known project file', { 'README.md': '', 'package.json': '{ broken' }, [undefined, undefined]],
])('%s determines how to build and test', async (_, files, expected) => {
  expect(await detect(files)).toEqual(expected);
});

test('a link that leads outside the worktree is ignored', async () => {
  const [root, outside] = [tempDir(), tempDir()];
  writeFiles(outside, { 'package.json': JSON.stringify({ scripts }) });
  symlinkSync(join(outside, 'package.json'), join(root, 'package.json'));
  expect(await detectCommand(root, 'tests_pass')).toBeUndefined();
});
