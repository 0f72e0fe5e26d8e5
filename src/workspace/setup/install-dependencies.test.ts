import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { createProcessEnvironment } from '../../exec/process-environment.js';
import { detectInstall } from './detect-install.js';
import { type InstallRun, runInstall } from './install-dependencies.js';

const path = process.env.PATH ?? '';

async function detected(files: Record<string, string>): Promise<string[][]> {
  const directory = tempDir();
  writeFiles(directory, files);
  const found = await detectInstall(directory);
  return found.map(step => [step.lockfile, ...step.commands.map(command => command.join(' '))]);
}

test.each([
  ['package-lock.json', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm ci'],
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn install --frozen-lockfile'],
  ['bun.lock', 'bun install --frozen-lockfile'],
  ['bun.lockb', 'bun install --frozen-lockfile'],
  ['uv.lock', 'uv sync --frozen'],
  ['poetry.lock', 'poetry install --no-interaction'],
  ['Cargo.lock', 'cargo fetch --locked'],
  ['go.sum', 'go mod download'],
])('%s runs %s', async (lockfile, command) => {
  expect(await detected({ [lockfile]: '' })).toEqual([[lockfile, command]]);
});

test('requirements.txt creates a virtual environment', async () => {
  const commands = ['python3 -m venv .venv', '.venv/bin/python -m pip install -r requirements.txt'];
  expect(await detected({ 'requirements.txt': '' })).toEqual([['requirements.txt', ...commands]]);
});

test.each([
  ['.yarnrc.yml', { '.yarnrc.yml': '' }, '--immutable'],
  ['packageManager yarn 4', { 'package.json': '{"packageManager":"yarn@4.1.0"}' }, '--immutable'],
  [
    'packageManager yarn 1',
    { '.yarnrc.yml': '', 'package.json': '{"packageManager":"yarn@1.22.22"}' },
    '--frozen-lockfile',
  ],
  ['a broken package.json', { 'package.json': '{' }, '--frozen-lockfile'],
])('%s selects the yarn version', async (_, files, flag) => {
  expect(await detected({ 'yarn.lock': '', ...(files as Record<string, string>) })).toEqual([
    ['yarn.lock', `yarn install ${flag}`],
  ]);
});

test('the package manager that package.json names takes precedence over other lockfiles', async () => {
  const locks = { 'package-lock.json': '', 'pnpm-lock.yaml': '' };
  expect(await detected(locks)).toEqual([['package-lock.json', 'npm ci']]);
  const named = { ...locks, 'package.json': '{"packageManager":"pnpm@9.0.0"}' };
  expect(await detected(named)).toEqual([['pnpm-lock.yaml', 'pnpm install --frozen-lockfile']]);
  const odd = { ...locks, 'package.json': '{"packageManager":"constructor@1"}' };
  expect(await detected(odd)).toEqual([['package-lock.json', 'npm ci']]);
});

test('several ecosystems are all installed, always in the same order', async () => {
  const files = {
    'go.sum': '',
    'Cargo.lock': '',
    'requirements.txt': '',
    'uv.lock': '',
    'package-lock.json': '',
  };
  expect((await detected(files)).map(step => step[0])).toEqual([
    'package-lock.json',
    'uv.lock',
    'Cargo.lock',
    'go.sum',
  ]);
});

test('a directory without lockfiles needs nothing', async () => {
  const directory = tempDir();
  mkdirSync(join(directory, 'yarn.lock'));
  expect(await detectInstall(directory)).toEqual([]);
});

function install(
  directory: string,
  { env: own, ...more }: Partial<InstallRun> & { readonly env?: Record<string, string> } = {},
) {
  const lines: string[] = [];
  const env = {
    PATH: path,
    HOME: directory,
    npm_config_cache: join(directory, '.npm-cache'),
    npm_config_offline: 'true',
  };
  const environment = createProcessEnvironment(directory, own ?? env);
  const options = { directory, environment, timeoutMs: 50_000, backoffMs: [1, 1] };
  return { lines, warnings: runInstall({ ...options, narrate: line => lines.push(line), ...more }) };
}

test('npm really installs what the lockfile names', async () => {
  const directory = tempDir();
  const manifest = { name: 'app', version: '1.0.0', dependencies: { tiny: 'file:./tiny' } };
  const packages = {
    '': manifest,
    'node_modules/tiny': { resolved: 'tiny', link: true },
    tiny: { version: '1.0.0' },
  };
  writeFiles(directory, {
    'package.json': JSON.stringify(manifest),
    'package-lock.json': JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages }),
    'tiny/package.json': '{"name":"tiny","version":"1.0.0"}',
    'tiny/index.js': 'module.exports = 42;',
  });
  const { warnings, lines } = install(directory);
  expect(await warnings).toEqual([]);
  expect(lines).toEqual(['install: npm ci']);
  expect(readFileSync(join(directory, 'node_modules/tiny/index.js'), 'utf8')).toBe('module.exports = 42;');
});

thoroughTest('a failing npm is retried and then reported with its output', async () => {
  const directory = tempDir();
  writeFiles(directory, { 'package.json': '{"name":"app","version":"1.0.0"}', 'package-lock.json': '{' });
  const { warnings, lines } = install(directory);
  await expect(warnings).rejects.toMatchObject({
    code: 'SETUP_FAILED',
    details: { command: 'npm ci', exitCode: 1, timedOut: false, output: expect.stringContaining('npm') },
  });
  expect(lines.filter(line => line.includes('retrying'))).toHaveLength(2);
});

test('a program that fails once is retried', async () => {
  const directory = tempDir();
  const env = {
    PATH: `${program(directory, 'go', 'mkdir first 2>/dev/null && exit 1; touch done')}:${path}`,
  };
  writeFiles(directory, { 'go.sum': '' });
  const { warnings, lines } = install(directory, { env });
  expect(await warnings).toEqual([]);
  expect(existsSync(join(directory, 'done'))).toBe(true);
  expect(lines).toEqual(['install: go mod download', 'install: go mod download failed; retrying in 1ms']);
});

test('a missing program gives a warning with its name, and the others are installed', async () => {
  const directory = tempDir();
  const env = { PATH: `${program(directory, 'go', '/bin/touch done')}` };
  writeFiles(directory, { 'go.sum': '', 'uv.lock': '' });
  const { warnings } = install(directory, { env });
  expect(await warnings).toEqual([
    'the dependencies in uv.lock were not installed: uv was not found on PATH',
  ]);
  expect(existsSync(join(directory, 'done'))).toBe(true);
});

test('the timeout covers all attempts together', async () => {
  const directory = tempDir();
  const env = { PATH: `${program(directory, 'go', 'echo waiting; exec sleep 60')}:${path}` };
  writeFiles(directory, { 'go.sum': '' });
  const { warnings, lines } = install(directory, { env, timeoutMs: 500 });
  await expect(warnings).rejects.toMatchObject({
    code: 'SETUP_FAILED',
    details: { timedOut: true, output: 'waiting' },
  });
  expect(lines).toEqual(['install: go mod download']);
});

test('a virtual environment is hidden from git', async () => {
  const directory = tempDir();
  const python = 'mkdir -p .venv/bin; cp "$0" .venv/bin/python; echo "$@" >> calls';
  const env = { PATH: `${program(directory, 'python3', python)}:${path}` };
  writeFiles(directory, { 'requirements.txt': '' });
  expect(await install(directory, { env }).warnings).toEqual([]);
  expect(readFileSync(join(directory, 'calls'), 'utf8')).toBe(
    '-m venv .venv\n-m pip install -r requirements.txt\n',
  );
  expect(readFileSync(join(directory, '.venv/.gitignore'), 'utf8')).toBe('*\n');
});

/** A directory with one small program; the packagers themselves are not on every machine. */
function program(directory: string, name: string, script: string): string {
  const bin = join(directory, '.bin');
  mkdirSync(bin);
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
  return bin;
}
