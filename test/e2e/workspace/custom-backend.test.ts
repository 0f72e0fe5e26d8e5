import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createCarrel as openLibrary } from '../../../src/carrel.js';
import { type Carrel, createCarrel, useRealProcesses } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { oneInSix, thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// Backends that users provide: `workspace.backend`, and `createCarrel({ backends })`.

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/copy-backend.mjs');
const CONFIG = 'workspace:\n  backend: ./copy-backend.mjs\n';

function makeSite(config = CONFIG) {
  const repository = makeRepository({ 'a.txt': 'a\n', '.carrel/config.yaml': config });
  copyFileSync(EXAMPLE, join(repository, 'copy-backend.mjs'));
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message', 'A backend');
  return { carrel: createCarrel(), repository, module: join(repository, 'copy-backend.mjs') };
}

interface Row {
  readonly name: string;
  readonly path: string;
  readonly backend: string;
  readonly branch: string | null;
  readonly warnings: readonly string[];
}

const list = (carrel: Carrel, repository: string) => carrel.json<Row[]>(repository, 'ls');

thoroughTest('the example, approved, makes workspaces that are inspected, removed and restored', () => {
  const { carrel, repository, module } = makeSite();
  const before = fingerprint(repository);
  carrel.ok(repository, 'trust', '--yes');
  const { path, backend, branch } = carrel.json<Row>(repository, 'up', 'login');
  expect({ backend, branch }).toEqual({ backend: module, branch: null });
  expect(existsSync(join(path, '.git'))).toBe(false);
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n');
  writeFiles(path, { 'a.txt': 'changed\n', 'new.txt': 'new\n' });
  expect(list(carrel, repository)).toMatchObject([{ name: 'login', changes: { unstaged: 1, untracked: 1 } }]);
  expect(carrel.ok(repository, 'exec', 'login', '--', 'cat', 'new.txt')).toBe('new');
  expect(carrel.ok(repository, 'diff', 'login', '--name-only')).toBe('a.txt\nnew.txt');
  expect(carrel.error(repository, 'down', 'login')).toMatchObject({ code: 'REMOVAL_REFUSED' });
  carrel.ok(repository, 'down', 'login', '--discard-changes');
  expect(existsSync(path)).toBe(false);
  const restored = carrel.json<Row>(repository, 'restore', 'login');
  expect(restored).toMatchObject({ name: 'login', backend: module });
  expect(readFileSync(join(restored.path, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(readFileSync(join(restored.path, 'new.txt'), 'utf8')).toBe('new\n');
  expect(list(carrel, repository)).toMatchObject([{ name: 'login', changes: { unstaged: 1, untracked: 1 } }]);
  expect(carrel.json(repository, 'doctor', '--deep')).toMatchObject({ snapshots: [{ status: 'ok' }] });
  expect(fingerprint(repository)).toEqual(before);
});

test('the backend of a repository runs only as it was approved, with the modules that it imports', () => {
  useRealProcesses();
  const { carrel, repository, module } = makeSite();
  const marker = join(carrel.home, 'ran');
  const spy = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\n`;
  writeFileSync(join(repository, 'helper.mjs'), '');
  writeFileSync(module, `import './helper.mjs';\n${readFileSync(EXAMPLE, 'utf8')}`);
  const refusal = { code: 'BACKEND_NOT_TRUSTED', hint: expect.stringContaining('carrel trust') };
  expect(carrel.error(repository, 'up', 'a')).toMatchObject(refusal);
  carrel.ok(repository, 'trust', '--yes');
  carrel.ok(repository, 'up', 'a');
  writeFileSync(join(repository, 'helper.mjs'), spy);
  expect(carrel.error(repository, 'up', 'b')).toMatchObject(refusal);
  expect(list(carrel, repository)).toMatchObject([
    { name: 'a', warnings: [expect.stringContaining('which you have not approved in its current form')] },
  ]);
  expect(carrel.error(repository, 'down', 'a', '--discard-changes')).toMatchObject({
    code: 'REMOVAL_REFUSED',
    message: expect.stringContaining('which you have not approved in its current form'),
  });
  expect(existsSync(marker)).toBe(false);
  carrel.ok(repository, 'trust', '--yes');
  carrel.ok(repository, 'down', 'a');
  expect(existsSync(marker)).toBe(true);
});

test('a repository names no module outside of itself', () => {
  const { carrel, repository } = makeSite('workspace:\n  backend: ../copy-backend.mjs\n');
  expect(carrel.error(repository, 'up', 'a')).toMatchObject({
    code: 'BACKEND_UNAVAILABLE',
    message: expect.stringContaining('below its directory'),
  });
});

thoroughTest('the user’s own file needs no approval, and its workspaces outlive the setting', () => {
  const carrel = createCarrel();
  const repository = makeRepository({ 'a.txt': 'a\n' });
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'workspace:\n  backend: ./mine.mjs\n' });
  copyFileSync(EXAMPLE, join(carrel.home, 'config/carrel/mine.mjs'));
  const { backend } = carrel.json<Row>(repository, 'up', 'a');
  expect(backend).toBe(join(carrel.home, 'config/carrel/mine.mjs'));
  writeFiles(carrel.home, { 'config/carrel/config.yaml': 'workspace: {}\n' });
  expect(list(carrel, repository)).toMatchObject([{ name: 'a', warnings: [] }]);
  carrel.ok(repository, 'down', 'a');
  expect(carrel.json<Row>(repository, 'up', 'b').backend).toBe('git');
});

thoroughTest(
  'without its backend a workspace is listed with the problem and kept, with its files and snapshots',
  () => {
    const { carrel, repository, module } = makeSite();
    carrel.ok(repository, 'trust', '--yes');
    const { path } = carrel.json<Row>(repository, 'up', 'a');
    carrel.ok(repository, 'snapshot', 'a');
    rmSync(module);
    const problem = `the backend ${module} cannot be used: cannot read the module (ENOENT)`;
    expect(list(carrel, repository)).toMatchObject([{ warnings: [`its files can't be read: ${problem}`] }]);
    expect(carrel.error(repository, 'down', 'a', '--discard-changes')).toMatchObject({
      code: 'REMOVAL_REFUSED',
      message: expect.stringContaining(problem),
    });
    carrel.ok(repository, 'gc', '--older-than', '0s', '--yes');
    carrel.ok(repository, 'show', 'a');
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(carrel.json<unknown[]>(repository, 'snapshots')).toHaveLength(1);
    copyFileSync(EXAMPLE, module);
    carrel.ok(repository, 'down', 'a');
    expect(existsSync(path)).toBe(false);
  },
);

test('a program registers a backend; another process lists its workspaces and refuses to remove them', async () => {
  const carrel = createCarrel();
  const repository = makeRepository({ 'a.txt': 'a\n' });
  const { default: mine } = await import(EXAMPLE);
  const library = await openLibrary({ repository, environment: carrel.env, backends: { mine } });
  const { backend, path } = await library.workspaces.create({ name: 'a', backend: 'mine' });
  expect(backend).toBe('mine');
  await expect(library.workspaces.create({ name: 'b', backend: 'other' })).rejects.toMatchObject({
    code: 'UNKNOWN_BACKEND',
    message: 'there is no backend "other"; known: mine',
  });
  expect(list(carrel, repository)).toMatchObject([
    { name: 'a', warnings: [expect.stringContaining('no program has registered it in this process')] },
  ]);
  const refusal = carrel.error(repository, 'down', 'a');
  expect(refusal).toMatchObject({ code: 'REMOVAL_REFUSED' });
  expect(refusal.hint).toContain('createCarrel({ backends: { "mine": … } })');
  expect(existsSync(path)).toBe(true);
  await library.workspaces.remove('a', {});
  expect(existsSync(path)).toBe(false);
  await library.close();
  await expect(
    openLibrary({ repository, environment: carrel.env, backends: { git: mine } }),
  ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});

const LIES = {
  'that throws': ['create: () => { throw new Error("boom"); }', 'failed in create: boom'],
  'that makes no directory': ['create: async () => ({ warnings: [] })', 'there is no directory at'],
  'without a method': ['findRisks: undefined', 'the backend that it returned lacks findRisks'],
} as const;

test.each(oneInSix(Object.entries(LIES)))(
  'a backend %s fails clearly, and leaves nothing',
  (_, [member, problem]) => {
    const { carrel, repository, module } = makeSite();
    writeFileSync(module, `export default ({ backends }) => ({ ...backends.directory, ${member} });\n`);
    carrel.ok(repository, 'trust', '--yes');
    const { message, code } = carrel.error(repository, 'up', 'a');
    expect(code).toMatch(/^BACKEND_(FAILED|UNAVAILABLE)$/);
    expect(message).toContain(problem);
    expect(list(carrel, repository)).toEqual([]);
  },
);

const CLAIMS = [
  [
    'snapshots',
    "capture: async () => ({ commit: '0'.repeat(40), files: 0, omitted: [] })",
    'snapshots.capture',
  ],
  ['removal', 'setAside: async () => {}', 'removal.setAside'],
  ['removal', 'asideOf: () => "/"', 'removal.asideOf'],
] as const;

test.each(oneInSix(CLAIMS))(
  'a backend that only claims to have done %s.%s loses no work',
  (part, member, call) => {
    const { carrel, repository, module } = makeSite();
    const source = `export default ({ backends: { directory } }) => ({ ...directory, ${part}: { ...directory.${part}, ${member} } });\n`;
    writeFileSync(module, source);
    carrel.ok(repository, 'trust', '--yes');
    const { path } = carrel.json<Row>(repository, 'up', 'a');
    writeFiles(path, { 'work.txt': 'work\n' });
    expect(carrel.error(repository, 'down', 'a', '--discard-changes')).toMatchObject({
      code: 'BACKEND_FAILED',
      details: { call },
    });
    expect(readFileSync(join(path, 'work.txt'), 'utf8')).toBe('work\n');
    expect(list(carrel, repository)).toMatchObject([{ name: 'a', status: 'ready' }]);
  },
);

thoroughTest('in a sandbox a copy has no ignored file, and a backend that copies one is refused', context => {
  requireBubblewrap(context);
  const { carrel, repository, module } = makeSite();
  writeFiles(repository, { '.gitignore': '.env\n', '.env': 'secret\n' });
  carrel.ok(repository, 'trust', '--yes');
  const { path } = carrel.json<Row>(repository, 'up', 'a', '--isolation', 'full');
  expect(existsSync(join(path, '.env'))).toBe(false);
  expect(carrel.ok(repository, 'exec', 'a', '--', 'cat', 'a.txt')).toBe('a');
  const deaf = `create: (record, { leaveOut, ...hooks }) => directory.create(record, hooks)`;
  writeFileSync(module, `export default ({ backends: { directory } }) => ({ ...directory, ${deaf} });\n`);
  carrel.ok(repository, 'trust', '--yes');
  expect(carrel.error(repository, 'up', 'b', '--isolation', 'full')).toMatchObject({
    code: 'BACKEND_FAILED',
    details: { problem: 'it copied .env, which it had to leave out' },
  });
  expect(list(carrel, repository).map(({ name }) => name)).toEqual(['a']);
});
