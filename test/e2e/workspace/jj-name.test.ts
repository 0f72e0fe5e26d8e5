import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Workspace, WorkspaceDetails } from '../../../src/domain/workspace/workspace.js';
import { readTree } from '../../../src/workspace/contract/file-tree.js';
import { createCarrel } from '../../helpers/carrel.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import {
  describeUser,
  type JjForm,
  jj,
  jjCommit,
  jjEnv,
  makeJjRepository,
  requireJj,
} from '../../helpers/git/jj.js';
import { git, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

// What a user of jj sees of Carrel's workspaces in `jj log` and `jj workspace list`.

beforeEach(requireJj);

const jjCarrel = () => createCarrel(tempDir(), { ...jjEnv(), HOME: tempDir() });

const listNames = (repository: string): string[] =>
  jj(repository, '--ignore-working-copy', 'workspace', 'list', '-T', 'name ++ "\\n"').split('\n');

/** Change ids of everything that `jj log -r all()` shows. */
const listChanges = (repository: string): string[] =>
  jj(
    repository,
    '--ignore-working-copy',
    'log',
    '--no-graph',
    '-r',
    'all()',
    '-T',
    'change_id ++ "\\n"',
  ).split('\n');

for (const form of flavours<JjForm>('colocated', 'plain')) {
  describe(`a ${form} jj repository`, () => {
    thoroughTest(
      'a workspace has its own name in jj log, with slashes too, and keeps it when it is renamed',
      () => {
        const carrel = jjCarrel();
        const repository = makeJjRepository(form);
        carrel.ok(repository, 'up', 'login');
        carrel.ok(repository, 'up', 'feat/ui');
        expect(listNames(repository)).toEqual(['default', 'feat/ui', 'login']);
        const log = jj(repository, '--ignore-working-copy', 'log', '-r', 'all()');
        expect(log).toContain('login@');
        expect(log).not.toContain('ws_');
        carrel.ok(repository, 'rename', 'login', 'sign-in');
        const { path } = carrel.json<Workspace>(repository, 'show', 'sign-in');
        writeFiles(path, { 'a.txt': 'a\n' });
        expect(carrel.json<WorkspaceDetails[]>(repository, 'ls')).toMatchObject([
          { name: 'sign-in', changes: { untracked: 1 }, warnings: [] },
          { name: 'feat/ui', warnings: [] },
        ]);
        carrel.ok(repository, 'up', 'login', '--branch', 'other');
        expect(listNames(repository)).toEqual([
          'default',
          'feat/ui',
          'login',
          expect.stringMatching(/^login-\w{4}$/),
        ]);
        carrel.ok(repository, 'down', 'sign-in', '--discard-changes');
        carrel.ok(repository, 'down', 'login');
        carrel.ok(repository, 'down', 'feat/ui');
        expect(listNames(repository)).toEqual(['default']);
      },
    );

    thoroughTest('a workspace of the user keeps its name, and ours gets a suffix', () => {
      const carrel = jjCarrel();
      const repository = makeJjRepository(form);
      const own = join(tempDir(), 'own');
      jj(repository, 'workspace', 'add', '--no-colocate', '--name', 'login', own);
      writeFiles(own, { 'mine.txt': 'mine\n' });
      const before = jjCommit(own, 'login@');
      const { id } = carrel.json<Workspace>(repository, 'up', 'login');
      expect(listNames(repository)).toEqual(['default', 'login', `login-${id.slice(-4)}`]);
      carrel.ok(repository, 'down', 'login');
      expect(listNames(repository)).toEqual(['default', 'login']);
      expect(jjCommit(own, 'login@')).toBe(before);
    });

    thoroughTest('a name that the user takes after forgetting ours is theirs', () => {
      const carrel = jjCarrel();
      const repository = makeJjRepository(form);
      const { path } = carrel.json<Workspace>(repository, 'up', 'login');
      writeFiles(path, { 'work.txt': 'work\n' });
      jj(repository, 'workspace', 'forget', 'login');
      jj(repository, 'workspace', 'add', '--no-colocate', '--name', 'login', join(tempDir(), 'own'));
      expect(carrel.json<WorkspaceDetails[]>(repository, 'ls')).toMatchObject([
        { warnings: [expect.stringContaining('a workspace that jj has forgotten')] },
      ]);
      expect(carrel.error(repository, 'down', 'login', '--discard-changes').code).toBe('WORKSPACE_REPLACED');
      expect(listNames(repository)).toEqual(['default', 'login']);
      expect(existsSync(join(path, 'work.txt'))).toBe(true);
    });

    thoroughTest('a workspace of an earlier version, registered under its id, works as before', () => {
      const carrel = jjCarrel();
      const repository = makeJjRepository(form);
      const { path, id } = carrel.json<Workspace>(repository, 'up', 'old');
      jj(path, 'workspace', 'rename', id);
      const gitDir = join(repository, form === 'colocated' ? '.git' : '.jj/repo/store/git');
      git(gitDir, 'update-ref', '-d', `refs/carrel/workspaces/${id}/jj/old`);
      writeFiles(path, { 'a.txt': 'a\n' });
      expect(carrel.json<WorkspaceDetails[]>(repository, 'ls')).toMatchObject([
        { name: 'old', changes: { untracked: 1 }, warnings: [] },
      ]);
      carrel.ok(repository, 'down', 'old', '--discard-changes');
      expect(listNames(repository)).toEqual(['default']);
      carrel.ok(repository, 'restore', 'old');
      expect(listNames(repository)).toEqual(['default', 'old']);
    });

    test('what was discarded is gone from jj log, and restored from the snapshot, even after jj util gc', () => {
      const carrel = jjCarrel();
      const repository = makeJjRepository(form);
      const user = describeUser(repository, form);
      const before = listChanges(repository);
      const { path } = carrel.json<Workspace>(repository, 'up', 'a');
      writeFiles(path, { 'done.txt': 'done\n' });
      jj(path, 'commit', '-m', 'done');
      writeFiles(path, { 'half.txt': 'half\n' });
      const [files, tip] = [readTree(path), jjCommit(repository, 'a@-')];
      carrel.ok(repository, 'down', 'a', '--discard-changes', '--discard-commits');
      expect(listChanges(repository)).toEqual(before);
      expect(describeUser(repository, form)).toEqual(user);
      jj(repository, '--ignore-working-copy', 'util', 'gc', '--expire', 'now');
      carrel.ok(repository, 'restore', 'a');
      expect(readTree(path)).toEqual(files);
      expect(jjCommit(repository, 'a@-')).toBe(tip);
      expect(describeUser(repository, form)).toEqual(user);
    });

    thoroughTest(
      'of the user’s own changes none is discarded, and none that a bookmark or another workspace has',
      () => {
        const carrel = jjCarrel();
        const repository = makeJjRepository(form);
        jj(repository, 'new', 'main', '-m', 'the user’s own');
        const anonymous = jjCommit(repository, '@');
        jj(repository, 'new', 'main');
        const { path } = carrel.json<Workspace>(repository, 'up', 'a');
        jj(path, 'new', anonymous);
        writeFiles(path, { 'b.txt': 'b\n' });
        jj(path, 'commit', '-m', 'bookmarked');
        jj(path, 'bookmark', 'create', 'keep', '-r', '@-');
        writeFiles(path, { 'c.txt': 'c\n' });
        jj(path, 'commit', '-m', 'used');
        const own = join(tempDir(), 'own');
        jj(repository, 'workspace', 'add', '--no-colocate', '--name', 'own', '-r', 'a@-', own);
        writeFiles(path, { 'd.txt': 'd\n' });
        carrel.ok(repository, 'down', 'a', '--discard-changes', '--discard-commits');
        const log = jj(
          repository,
          '--ignore-working-copy',
          'log',
          '--no-graph',
          '-r',
          'all()',
          '-T',
          'description',
        );
        expect(log.split('\n').filter(Boolean).sort()).toEqual([
          'bookmarked',
          'first',
          'the user’s own',
          'used',
        ]);
        expect(jjCommit(repository, anonymous)).toBe(anonymous);
      },
    );

    thoroughTest(
      'a deleted directory comes back under its name, or another when the user has taken that',
      () => {
        const carrel = jjCarrel();
        const repository = makeJjRepository(form);
        const { path } = carrel.json<Workspace>(repository, 'up', 'a');
        writeFiles(path, { 'a.txt': 'a\n' });
        carrel.ok(repository, 'snapshot', 'a');
        rmSync(path, { recursive: true });
        carrel.ok(repository, 'restore', 'a');
        expect(listNames(repository)).toEqual(['a', 'default']);
        rmSync(path, { recursive: true });
        jj(repository, 'workspace', 'forget', 'a');
        jj(repository, 'workspace', 'add', '--no-colocate', '--name', 'a', join(tempDir(), 'own'));
        carrel.ok(repository, 'restore', 'a');
        expect(listNames(repository)).toEqual(['a', expect.stringMatching(/^a-\w{4}$/), 'default']);
        expect(carrel.json<WorkspaceDetails[]>(repository, 'ls')).toMatchObject([
          { name: 'a', changes: { untracked: 1 }, warnings: [] },
        ]);
      },
    );
  });
}
