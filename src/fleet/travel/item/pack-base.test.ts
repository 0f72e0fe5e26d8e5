import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Machine, openMachine } from '../../../../test/helpers/fleet/travel-bench.js';
import { commitFiles, makeRepository } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { hashFile } from '../../artifacts/blob-source.js';
import { packBase, unpackBase } from './pack-base.js';

const base = { kind: 'files' as const, files: { 'a.txt': 'a\n', 'b/c.txt': 'c\n' } };

const pack = ({ context }: Machine) => packBase(context, { base }, tempDir());

const named = (commit: string) => ({ commit, bundle: '0'.repeat(64) });

const git = (cwd: string, ...args: string[]) => spawnSync('git', args, { cwd, encoding: 'utf8' });

test('a base has the same commit and the same bundle on every machine', async () => {
  const [one, other] = [await pack(await openMachine()), await pack(await openMachine())];
  expect(one.commit).toBe(other.commit);
  expect(await hashFile(one.file)).toBe(await hashFile(other.file));
});

test('a host unpacks a base once, also for concurrent attempts', async () => {
  const { commit, file } = await pack(await openMachine());
  const worker = await openMachine();
  let fetched = 0;
  const find = async () => {
    fetched++;
    return file;
  };
  const bases = await Promise.all([1, 2, 3].map(() => unpackBase(worker.context, named(commit), find)));
  expect(new Set(bases.map(({ directory }) => directory)).size).toBe(1);
  const before = fetched;
  const again = await unpackBase(worker.context, named(commit), find);
  expect(fetched).toBe(before);
  const listed = git(again.directory, 'ls-tree', '-r', '--name-only', commit);
  expect(listed.stdout).toBe('a.txt\nb/c.txt\n');
});

test('a base that was damaged on the host is unpacked again', async () => {
  const { commit, file } = await pack(await openMachine());
  const worker = await openMachine();
  const find = async () => file;
  const { gitDir } = await unpackBase(worker.context, named(commit), find);
  writeFileSync(join(gitDir, 'config'), '[core]\n\tfsmonitor = touch /tmp/owned\n');
  const again = await unpackBase(worker.context, named(commit), find);
  expect(readFileSync(join(again.gitDir, 'config'), 'utf8')).not.toContain('fsmonitor');
});

test('another commit, a history, or damaged bytes are refused', async () => {
  const worker = await openMachine();
  const { commit, file } = await pack(await openMachine());
  const refuse = (wanted: string, bundle: string) =>
    expect(unpackBase(worker.context, named(wanted), async () => bundle)).rejects.toMatchObject({
      code: 'BASE_UNAVAILABLE',
    });
  await refuse('f'.repeat(40), file);
  const damaged = join(tempDir(), 'damaged.bundle');
  const bytes = Buffer.from(readFileSync(file));
  const at = statSync(file).size - 40;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(damaged, bytes);
  await refuse(commit, damaged);
  await refuse(commit, join(tempDir(), 'missing.bundle'));
  const repository = makeRepository();
  commitFiles(repository, { 'x.txt': 'x\n' }, 'x');
  git(repository, 'branch', '--force', '--move', 'main');
  const history = join(tempDir(), 'history.bundle');
  git(repository, 'bundle', 'create', history, 'refs/heads/main');
  await refuse(git(repository, 'rev-parse', 'main').stdout.trim(), history);
});
