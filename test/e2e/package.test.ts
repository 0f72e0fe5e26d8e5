import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { createCarrel } from '../helpers/carrel.js';
import { readExample } from '../helpers/readme.js';
import { commitFiles, makeRepository, writeFiles } from '../helpers/repository.js';
import { requirePart } from '../helpers/required-part.js';
import { tempDir } from '../helpers/temp.js';

// What `npm install carrel` gives. Packed from a copy of the sources, because packing builds.

interface Pack {
  readonly tarball: string;
  readonly files: readonly string[];
}

let directory: string;
let packed: Pack;

beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-package-')));
  packed = pack(join(directory, 'carrel'));
}, 180_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function pack(copy: string): Pack {
  const unwanted = new Set(['node_modules', 'dist', '.git', '.bench']);
  cpSync(resolve('.'), copy, {
    recursive: true,
    filter: source => !unwanted.has(basename(source)) && !basename(source).startsWith('.dist-'),
  });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const { status, stdout, stderr } = npm(copy, 'pack', '--json');
  if (status !== 0) throw new Error(`npm pack failed:\n${stdout}${stderr}`);
  const [report] = JSON.parse(stdout.slice(stdout.search(/^\[$/m)));
  return {
    tarball: join(copy, report.filename),
    files: report.files.map((file: { path: string }) => file.path).sort(),
  };
}

function npm(cwd: string, ...args: string[]) {
  return spawnSync('npm', [...args, '--no-audit', '--no-fund'], { cwd, encoding: 'utf8' });
}

/** The package as a user has it; without a registry and without a cache that has its dependencies there is no way. */
function install(context: TestContext): string {
  const place = tempDir();
  writeFileSync(join(place, 'package.json'), '{"name":"somebody","private":true,"type":"module"}');
  const { status } = npm(
    place,
    'install',
    '--prefer-offline',
    '--fetch-retries=0',
    '--fetch-timeout=20000',
    packed.tarball,
  );
  requirePart(context, status === 0, 'a registry, or a cache with the dependencies');
  return place;
}

test('the package has the command, the library with its types, and nothing else', () => {
  const { files } = packed;
  const expected =
    /^(bin\/carrel\.cjs|dist\/.+\.c?js|dist\/types\/.+\.d\.ts|dist\/dashboard\/.+\.(css|html|svg)|package\.json|(README|CHANGELOG|SECURITY)\.md|LICENSE)$/;
  expect(files.filter(file => !expected.test(file))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'bin/carrel.cjs',
      'dist/index.js',
      'dist/client.js',
      'dist/server.js',
      'dist/mcp.js',
      'dist/dashboard/index.html',
      'dist/start.cjs',
      'dist/testing.js',
      'package.json',
      'README.md',
      'LICENSE',
    ]),
  );
  expect(files).toEqual(expect.arrayContaining(['dist/types/index.d.ts', 'dist/types/testing/index.d.ts']));
  expect(files.filter(file => file.includes('.test.'))).toEqual([]);
});

test('installed elsewhere it says its version, walks through the README, and its types fit the example', context => {
  const place = install(context);
  const command = join(place, 'node_modules/.bin/carrel');
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(execFileSync(command, ['--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  expectNoTraces(place);
  walkThroughReadme(place);
  checkTypes(place);
}, 180_000);

/** What was built must not name the place where it was built. */
function expectNoTraces(place: string): void {
  const root = join(place, 'node_modules/carrel/dist');
  const files = (readdirSync(root, { recursive: true }) as string[]).filter(name =>
    /\.(c?js|ts)$/.test(name),
  );
  const traces = files.filter(name => readFileSync(join(root, name), 'utf8').includes(directory));
  expect(traces).toEqual([]);
}

/** Line by line as it is written. In every new workspace somebody has worked already: that is what the lines are about. */
function walkThroughReadme(place: string): void {
  const carrel = createCarrel();
  writeFiles(carrel.home, {
    'config/carrel/config.yaml': 'workspace:\n  setup: ["echo work > work-$CARREL_WORKSPACE.txt"]\n',
  });
  const repository = makeRepository();
  commitFiles(repository, { 'package.json': '{"name":"app","scripts":{"test":"echo tested"}}' });
  const env = { ...carrel.env, PATH: `${join(place, 'node_modules/.bin')}:${process.env.PATH}` };
  const lines = readExample('sh')
    .split('\n')
    .filter(line => line.startsWith('carrel '));
  const walked = lines.map(line => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
      cwd: repository,
      env,
      encoding: 'utf8',
    });
    return { line: line.replace(/ +#.*/, ''), status, said: `${stdout}${stderr}` };
  });
  expect(walked.map(({ line, status }) => `${line}: ${status}`)).toEqual([
    'carrel up login: 0',
    'carrel exec login -- npm test: 0',
    'carrel ls: 0',
    'carrel diff login: 0',
    'carrel land login -m "Add a login": 0',
    'carrel up idea && carrel down idea: 3',
    'carrel down idea --discard-changes: 0',
    'carrel restore idea: 0',
  ]);
  const said = Object.fromEntries(walked.map(({ line, said }) => [line, said]));
  expect(said['carrel exec login -- npm test']).toContain('tested');
  expect(said['carrel diff login']).toContain('+work');
  expect(said['carrel up idea && carrel down idea']).toContain('untracked files: work-idea.txt');
  expect(existsSync(join(repository, 'work-login.txt'))).toBe(true);
  expect(readFileSync(join(carrel.cacheDir, 'worktrees/repo/idea/work-idea.txt'), 'utf8')).toBe('work\n');
}

function checkTypes(place: string): void {
  mkdirSync(join(place, 'node_modules/@types'), { recursive: true });
  symlinkSync(resolve('node_modules/@types/node'), join(place, 'node_modules/@types/node'));
  writeFileSync(join(place, 'example.ts'), readExample('ts'));
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  const check = spawnSync(resolve('node_modules/.bin/tsc'), [...options, 'example.ts'], {
    cwd: place,
    encoding: 'utf8',
  });
  expect({ status: check.status, said: check.stdout }).toEqual({ status: 0, said: '' });
}
