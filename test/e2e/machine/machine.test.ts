import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BINARY, type Carrel, createCarrel, type Outcome, useRealProcesses } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { findReadableProgram } from '../../helpers/workspace/readable-program.js';
import { describeRefusal } from '../../helpers/workspace/refusal.js';
import { isRoot, requirePart } from '../../parts/required-part.js';

// What a machine can be like: each ends in one clear sentence, and nothing is lost.

/** Runs it with exactly this environment, and as another user when one is given. */
function runAs(
  uid: number | undefined,
  env: Record<string, string>,
  cwd: string,
  ...args: string[]
): Outcome {
  const user = uid === undefined ? {} : { uid, gid: uid };
  const options = { cwd, env, encoding: 'utf8', ...user } as const;
  const program = uid === undefined ? BINARY : findReadableProgram(uid);
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [program, ...args], options);
  return { status, signal, stdout, stderr };
}

function without(carrel: Carrel, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(carrel.env).filter(([name]) => !names.includes(name)));
}

/** For root nothing is read-only, so another user has to try: uid 65534. */
const findOrdinaryUser = (): number | undefined => (isRoot ? 65_534 : undefined);

test('a state directory that is not writable', () => {
  const user = findOrdinaryUser();
  const carrel = createCarrel();
  const repository = makeRepository();
  mkdirSync(carrel.stateDir);
  chmodSync(carrel.stateDir, 0o555);
  openWay(carrel.home);
  giveAway(repository, user);
  const outcome = runAs(user, { ...carrel.env }, repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { home: carrel.home })).toMatchInlineSnapshot(`
    "STATE_NOT_WRITABLE, exit status 4
    cannot write to <home>/state/in-use (EACCES); Carrel keeps its files there
    hint: make it writable, or choose other directories with CARREL_STATE_DIR and CARREL_CACHE_DIR"
  `);
});

thoroughTest('a cache directory that is not writable', () => {
  const user = findOrdinaryUser();
  const carrel = createCarrel();
  const repository = makeRepository();
  for (const directory of [carrel.stateDir, carrel.cacheDir]) mkdirSync(directory);
  giveAway(carrel.stateDir, user);
  openWay(carrel.home);
  giveAway(repository, user);
  chmodSync(carrel.cacheDir, 0o555);
  const outcome = runAs(user, { ...carrel.env }, repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome, { home: carrel.home })).toMatchInlineSnapshot(`
    "STATE_NOT_WRITABLE, exit status 4
    cannot write to <home>/cache/worktrees/repo (EACCES); Carrel keeps its files there
    hint: make it writable, or choose other directories with CARREL_STATE_DIR and CARREL_CACHE_DIR"
  `);
  expect(runAs(user, { ...carrel.env }, repository, 'ls', '--json').stdout).toBe('[]\n');
});

/** Directories of tests are for their owner only. */
function openWay(directory: string): void {
  chmodSync(directory, 0o755);
}

function giveAway(directory: string, uid: number | undefined): void {
  if (uid === undefined) return;
  chmodSync(join(directory, '..'), 0o755);
  spawnSync('chown', ['-R', `${uid}:${uid}`, directory]);
}

test('a state directory that is a file', () => {
  const carrel = createCarrel();
  writeFileSync(carrel.stateDir, 'mine\n');
  const outcome = carrel.run(makeRepository(), 'ls', '--json');
  expect(describeRefusal(outcome, { home: carrel.home })).toMatchInlineSnapshot(`
    "STATE_NOT_WRITABLE, exit status 4
    cannot write to <home>/state/in-use (ENOTDIR); Carrel keeps its files there
    hint: make it writable, or choose other directories with CARREL_STATE_DIR and CARREL_CACHE_DIR"
  `);
  expect(readFileSync(carrel.stateDir, 'utf8')).toBe('mine\n');
});

test('a cache directory that is a file', () => {
  const carrel = createCarrel();
  writeFileSync(carrel.cacheDir, 'mine\n');
  const outcome = carrel.run(makeRepository(), 'up', 'a', '--json');
  expect(describeRefusal(outcome, { home: carrel.home })).toMatchInlineSnapshot(`
    "STATE_NOT_WRITABLE, exit status 4
    cannot write to <home>/cache (it is a file); Carrel keeps its files there
    hint: make it writable, or choose other directories with CARREL_STATE_DIR and CARREL_CACHE_DIR"
  `);
  expect(readFileSync(carrel.cacheDir, 'utf8')).toBe('mine\n');
});

test('a state directory with a relative path', () => {
  const outcome = createCarrel(tempDir(), { CARREL_STATE_DIR: 'state' }).run(
    makeRepository(),
    'ls',
    '--json',
  );
  expect(describeRefusal(outcome)).toMatchInlineSnapshot(`
    "INVALID_INPUT, exit status 2
    CARREL_STATE_DIR is "state"; expected an absolute path
    hint: see \`carrel --help\` or \`carrel COMMAND --help\`"
  `);
});

test('a damaged database is left byte for byte, and workspaces and snapshots stay where they are', () => {
  // The warm process writes to a database that it has closed, when its statements are collected as garbage.
  useRealProcesses();
  const carrel = createCarrel();
  const repository = makeRepository();
  const path = carrel.ok(repository, 'up', 'a');
  const file = join(carrel.stateDir, 'carrel.db');
  writeFileSync(file, 'not a database '.repeat(1000));
  for (const name of ['-wal', '-shm']) rmSync(`${file}${name}`, { force: true });
  const damaged = readFileSync(file);
  const outcome = carrel.run(repository, 'down', 'a', '--json');
  expect(describeRefusal(outcome, { home: carrel.home })).toMatchInlineSnapshot(`
    "STORE_CORRUPT, exit status 4
    the database <home>/state/carrel.db is damaged (file is not a database, SQLITE_NOTADB); it was not changed
    hint: move it aside with: mv <home>/state/carrel.db <home>/state/carrel.db.damaged — then rebuild the records from the repositories with: carrel doctor --repair"
  `);
  // Not toEqual: a comparison of two such buffers, byte by byte as text, takes minutes.
  expect(readFileSync(file).equals(damaged)).toBe(true);
  expect(existsSync(join(path, 'README.md'))).toBe(true);
});

thoroughTest('a database of a newer Carrel is left byte for byte', () => {
  // A process that has had the file open knows what was in it.
  useRealProcesses();
  const carrel = createCarrel();
  const repository = makeRepository();
  carrel.ok(repository, 'ls');
  const file = join(carrel.stateDir, 'carrel.db');
  const bytes = readFileSync(file);
  // Where SQLite keeps `user_version`: https://www.sqlite.org/fileformat.html#database_header
  bytes.writeUInt32BE(999, 60);
  writeFileSync(file, bytes);
  const outcome = carrel.run(repository, 'ls', '--json');
  const refusal = describeRefusal(outcome, { home: carrel.home });
  expect(refusal.replace(/up to \d+/, 'up to <known>')).toMatchInlineSnapshot(`
    "STORE_TOO_NEW, exit status 4
    the database <home>/state/carrel.db has version 999; this version of Carrel supports versions up to <known>
    hint: install the newer version of Carrel, or choose another state directory with CARREL_STATE_DIR"
  `);
  expect(readFileSync(file)).toEqual(bytes);
});

test('git is removed between two commands, and restored', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const path = carrel.ok(repository, 'up', 'a');
  writeFiles(path, { 'new.txt': 'precious\n' });
  const PATH = tempDir();
  for (const command of [['ls'], ['snapshot', 'a'], ['down', 'a', '--discard-changes'], ['diff', 'a']]) {
    const outcome = carrel.runWith({ PATH }, repository, ...command, '--json');
    expect(describeRefusal(outcome)).toContain('GIT_MISSING, exit status 4');
  }
  expect(carrel.json(repository, 'ls')).toMatchObject([{ name: 'a', changes: { untracked: 1 } }]);
  expect(carrel.run(repository, 'down', 'a').status).toBe(3);
});

test('the current directory is gone', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  carrel.ok(repository, 'up', 'a');
  const gone = join(repository, 'gone');
  mkdirSync(gone);
  const call = (...args: string[]) => {
    const script = `cd "$1" && rmdir "$1" && shift && "$@"; status=$?; mkdir ${gone}; exit $status`;
    const words = ['-c', script, 'sh', gone, process.execPath, BINARY, ...args];
    const { status, signal, stdout, stderr } = spawnSync('/bin/sh', words, {
      env: carrel.env,
      encoding: 'utf8',
    });
    return { status, signal, stdout, stderr };
  };
  expect(describeRefusal(call('ls', '--json'), { repository })).toMatchInlineSnapshot(`
    "NO_SUCH_DIRECTORY, exit status 5
    <repository>/gone is not a directory; expected an existing directory
    hint: check the path"
  `);
  expect(call('path', 'a', '-R', repository)).toMatchObject({ status: 0, stderr: '' });
  expect(call('down', 'a', '-R', repository).status).toBe(0);
});

test('without HOME the home directory is the one that the machine knows for the user', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  // A limit that cannot be met: the path is reported and nothing is created there.
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'workspace:\n  limits:\n    freeDisk: 8000t\n' });
  const env = without(carrel, 'HOME', 'CARREL_CACHE_DIR', 'XDG_CACHE_HOME');
  const outcome = runAs(undefined, env, repository, 'up', 'a', '--json');
  expect(describeRefusal(outcome)).toContain(join(userInfo().homedir, '.cache/carrel/worktrees'));
});

test('without HOME and without a passwd entry, the error names HOME', context => {
  requirePart(context, isRoot, 'root');
  const repository = makeRepository();
  giveAway(repository, 64_123);
  const outcome = runAs(64_123, { PATH: process.env.PATH ?? '' }, repository, 'ls', '--json');
  expect(describeRefusal(outcome)).toMatchInlineSnapshot(`
    "INVALID_INPUT, exit status 2
    HOME is not set; expected your home directory
    hint: see \`carrel --help\` or \`carrel COMMAND --help\`"
  `);
});

test('a temporary directory that is not there', () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const path = carrel.ok(repository, 'up', 'a');
  writeFiles(path, { 'new.txt': 'precious\n' });
  const TMPDIR = join(carrel.home, 'nowhere');
  const outcome = carrel.runWith({ TMPDIR }, repository, 'snapshot', 'a', '--json');
  expect(describeRefusal(outcome, { home: carrel.home })).toMatchInlineSnapshot(`
    "TEMPORARY_NOT_WRITABLE, exit status 4
    cannot write to the temporary directory <home>/nowhere (ENOENT)
    hint: create it with: mkdir -p <home>/nowhere — or choose another with TMPDIR"
  `);
  expect(carrel.runWith({ TMPDIR }, repository, 'down', 'a', '--discard-changes').status).toBe(4);
  expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('precious\n');
});

test('a temporary directory that is said from the current one', () => {
  const carrel = createCarrel(tempDir(), { TMPDIR: 'scratch' });
  const repository = makeRepository({ 'README.md': 'hello\n', 'scratch/.gitignore': '*\n' });
  const path = carrel.ok(repository, 'up', 'a');
  writeFiles(path, { 'new.txt': 'precious\n' });
  expect(carrel.json(repository, 'snapshot', 'a')).toMatchObject({ files: 1 });
});
