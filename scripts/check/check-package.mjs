// Checks the package as npm would publish it: publint for package.json and files, attw for how the types resolve, and
// that every name of `carrel` has a description for editors to show.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findUndocumented } from './undocumented-exports.mjs';

if (existsSync('dist/index.d.ts')) checkPackage();
else fail('dist/index.d.ts is missing; run npm run build first');

function checkPackage() {
  const directory = mkdtempSync(join(tmpdir(), 'carrel-pack-'));
  try {
    run('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', directory]);
    const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const tarball = join(directory, `${name}-${version}.tgz`);
    run('node_modules/.bin/publint', ['run', tarball, '--strict']);
    run('node_modules/.bin/attw', [tarball, '--profile', 'esm-only', '--no-emoji']);
    for (const name of findUndocumented('dist/index.d.ts'))
      fail(`carrel exports ${name} without a description`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) fail(`${[command, ...args].join(' ')}\n${stdout}${stderr}`);
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
