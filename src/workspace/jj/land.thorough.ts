import { existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { flavours } from '../../../test/helpers/flavours.js';
import { type JjForm, jj, jjCommit, makeJjFixture, requireJj } from '../../../test/helpers/git/jj.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import type { LandRequest } from '../backend.js';

beforeEach(requireJj);

type Fixture = Awaited<ReturnType<typeof makeJjFixture>>;

const LIMITS = { ignoredBytes: 1024 ** 2, regenerable: [] };

async function land({ backend, record }: Fixture, request: Partial<LandRequest> = {}) {
  const landing = backend.landing as NonNullable<typeof backend.landing>;
  const plan = await landing.prepare(record, { strategy: 'merge', ...request });
  await landing.move(record, plan, async () => {});
  return plan;
}

/** Another commit on main, by jj in the user's workspace, which stays where it was. */
function goOn(repository: string, files: Record<string, string>): void {
  jj(repository, 'new', 'main');
  writeFiles(repository, files);
  jj(repository, 'commit', '-m', 'meanwhile');
  jj(repository, 'bookmark', 'set', 'main', '-r', '@-');
}

const contentOf = (repository: string, revset: string, file: string): string =>
  jj(repository, 'file', 'show', '-r', revset, file);

for (const form of flavours<JjForm>('colocated', 'plain')) {
  describe(`in a ${form} repository`, () => {
    test('a described change lands unchanged, and then nothing is left to lose', async () => {
      const fixture = await makeJjFixture(form);
      const { backend, record, repository, path } = fixture;
      writeFiles(path, { 'a.txt': 'a\n' });
      jj(path, 'describe', '-m', 'adds a');
      const [look] = await backend.inspect([record], { size: false });
      expect(look).toMatchObject({ ahead: 1, behind: 0, changes: { unstaged: 0, untracked: 0 } });
      expect(await backend.findRisks(record, LIMITS)).toMatchObject([{ kind: 'commits' }]);
      const user = jjCommit(repository, 'default@');
      const plan = await land(fixture);
      expect(plan).toMatchObject({ into: 'main', commits: 1, checkouts: [] });
      expect(await backend.findRisks(record, LIMITS)).toEqual([]);
      expect(contentOf(repository, 'main', 'a.txt')).toBe('a');
      expect(jjCommit(repository, 'main')).toBe(plan.after);
      expect(jjCommit(repository, 'default@')).toBe(user);
      expect(existsSync(join(repository, 'a.txt'))).toBe(false);
    });

    for (const strategy of ['merge', 'squash', 'rebase'] as const) {
      test(`commits land by ${strategy} on a bookmark that moved ahead`, async () => {
        const fixture = await makeJjFixture(form);
        const { backend, record, repository, path } = fixture;
        for (const name of ['one', 'two']) {
          writeFiles(path, { [`${name}.txt`]: name });
          jj(path, 'commit', '-m', name);
        }
        goOn(repository, { 'other.txt': 'other\n' });
        const plan = await land(fixture, { strategy });
        expect(plan.commits).toBe(2);
        for (const file of ['one.txt', 'two.txt', 'other.txt'])
          expect(contentOf(repository, 'main', file)).not.toBe('');
        expect(await backend.findRisks(record, LIMITS)).toEqual([]);
        await backend.removal.setAside(record);
        const outcome = await backend.removal.unregister(record, {}, null);
        expect(outcome).toEqual({ deletedBranch: 'carrel/a', keptBranch: null });
      });
    }

    test('a conflict changes nothing and names the files', async () => {
      const fixture = await makeJjFixture(form);
      const { repository, path } = fixture;
      writeFiles(path, { 'README.md': 'mine\n' });
      jj(path, 'commit', '-m', 'mine');
      goOn(repository, { 'README.md': 'theirs\n' });
      const before = jjCommit(repository, 'main');
      await expect(land(fixture)).rejects.toMatchObject({
        code: 'LAND_CONFLICT',
        details: { files: ['README.md'] },
      });
      expect(jjCommit(repository, 'main')).toBe(before);
    });

    test('a commit with jj conflicts is not landed', async () => {
      const fixture = await makeJjFixture(form);
      const { backend, record, repository, path } = fixture;
      writeFiles(path, { 'README.md': 'mine\n' });
      jj(path, 'describe', '-m', 'mine');
      goOn(repository, { 'README.md': 'theirs\n' });
      jj(path, 'rebase', '-d', 'main');
      const [look] = await backend.inspect([record], { size: false });
      expect(look?.changes?.conflicted).toBe(1);
      await expect(land(fixture)).rejects.toMatchObject({
        code: 'LAND_CONFLICT',
        details: { files: ['README.md'] },
      });
    });

    test('a change without a description is uncommitted; committing includes new files of any size', async () => {
      const fixture = await makeJjFixture(form);
      const { backend, record, repository, path } = fixture;
      writeFiles(path, { 'large.bin': Buffer.alloc(2 * 1024 ** 2, 1), 'a.txt': 'a\n' });
      await expect(land(fixture)).rejects.toMatchObject({
        code: 'LAND_UNCOMMITTED',
        details: { files: ['a.txt', 'large.bin'] },
      });
      await backend.landing?.commitAll(record, 'all of it');
      expect((await land(fixture)).commits).toBe(1);
      expect(contentOf(repository, 'main', 'a.txt')).toBe('a');
      expect(jj(repository, 'file', 'list', '-r', 'main')).toContain('large.bin');
    });

    test('a new file of a terabyte is left out of a commit, and a tracked one refused', async () => {
      const { backend, record, path } = await makeJjFixture(form);
      writeFiles(path, { 'sparse.bin': '', 'a.txt': 'a\n' });
      truncateSync(join(path, 'sparse.bin'), 2 ** 40);
      const committed = await backend.landing?.commitAll(record, 'all of it');
      const line = 'left out of the commit: sparse.bin, which is 1.0 TB; the maximum is 64 GB';
      expect(committed?.leftOut).toEqual([line]);
      expect(jj(path, 'file', 'list', '-r', '@-')).toContain('a.txt');
      truncateSync(join(path, 'a.txt'), 2 ** 40);
      const refused = backend.landing?.commitAll(record, 'again');
      await expect(refused).rejects.toMatchObject({ code: 'SNAPSHOT_TOO_LARGE' });
    });

    test('a bookmark that moved since is not overwritten, and there is nothing to land twice', async () => {
      const fixture = await makeJjFixture(form);
      const { backend, record, repository, path } = fixture;
      await expect(land(fixture)).rejects.toMatchObject({ code: 'LAND_NOTHING' });
      writeFiles(path, { 'a.txt': 'a\n' });
      jj(path, 'commit', '-m', 'a');
      const plan = await backend.landing?.prepare(record, { strategy: 'merge' });
      goOn(repository, { 'other.txt': 'other\n' });
      if (form === 'plain') jj(repository, 'git', 'export');
      const moving = backend.landing?.move(record, plan as never, async () => {});
      await expect(moving).rejects.toMatchObject({ code: 'REF_MOVED' });
      await expect(land(fixture, { into: 'mian' })).rejects.toMatchObject({
        code: 'UNKNOWN_BRANCH',
        details: { nearest: 'main' },
      });
      await land(fixture);
      await expect(land(fixture)).rejects.toMatchObject({ code: 'LAND_NOTHING' });
    });

    test('a landing interrupted by a crash is finished, and finishing twice is safe', async () => {
      const fixture = await makeJjFixture(form);
      const { backend, record, repository, path } = fixture;
      writeFiles(path, { 'a.txt': 'a\n' });
      jj(path, 'commit', '-m', 'a');
      const { landing } = backend;
      const plan = await landing?.prepare(record, { strategy: 'merge' });
      const crash = async () => {
        throw new Error('crash');
      };
      await expect(landing?.move(record, plan as never, crash)).rejects.toThrow('crash');
      for (let time = 1; time <= 2; time++) await landing?.finish(record, plan as never);
      expect(jj(repository, 'log', '--no-graph', '-r', 'main', '-T', 'commit_id')).toBe(plan?.after);
    });
  });
}

test('where git has the branch checked out, the user’s files do not look like a revert', async () => {
  const repository = makeRepository({ 'README.md': 'hello\n' });
  jj(repository, 'git', 'init', '--colocate');
  writeFiles(repository, { 'README.md': 'edited by the user\n' });
  expect(git(repository, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  const fixture = await makeJjFixture('colocated', {}, repository);
  writeFiles(fixture.path, { 'a.txt': 'a\n' });
  jj(fixture.path, 'commit', '-m', 'a');
  const before = git(repository, 'rev-parse', 'HEAD');
  const { after } = await land(fixture);
  expect(git(repository, 'rev-parse', 'HEAD', 'main')).toBe(`${before}\n${after}`);
  expect(jj(repository, 'diff', '--name-only')).toBe('README.md');
  expect(jjCommit(repository, 'main')).toBe(after);
  expect(readFileSync(join(repository, 'README.md'), 'utf8')).toBe('edited by the user\n');
});

test('a branch that a plain git worktree has checked out is not moved under it', async () => {
  const fixture = await makeJjFixture('colocated');
  const { repository, path } = fixture;
  const beside = join(fixture.path, '..', 'beside');
  mkdirSync(join(fixture.path, '..'), { recursive: true });
  git(repository, 'worktree', 'add', '--quiet', beside, 'main');
  writeFiles(path, { 'a.txt': 'a\n' });
  jj(path, 'commit', '-m', 'a');
  await expect(land(fixture)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    details: { found: `checked out at ${beside}` },
  });
  commitFiles(beside, { 'b.txt': 'b\n' }, 'b');
});
