import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jj, jjCommit, makeJjRepository, requireJj } from '../../test/helpers/jj.js';
import { commitFiles, git, writeFiles } from '../../test/helpers/repository.js';
import { requireBubblewrap } from '../../test/helpers/sandboxed.js';
import { makeWorkSite, type WorkSite } from '../../test/helpers/work-site.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { removeRecord } from '../operations/down.js';
import { execInWorkspace } from '../operations/exec.js';
import { finishWorkspace } from './finish-workspace.js';
import { settleWork } from './settle-work.js';

const MESSAGE = 'do: something\n\nCarrel-Task: task_1';

const settle = ({ app }: WorkSite, record: WorkspaceRecord, before = record.base.commit) =>
  settleWork(app, record, { before, message: MESSAGE });

const tipOf = ({ repository }: WorkSite, branch: string): string => git(repository, 'rev-parse', branch);

test('what an agent left uncommitted is committed without the hooks of the repository', async () => {
  const site = await makeWorkSite();
  writeFileSync(join(site.repository, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const record = await site.up('a');
  writeFiles(record.path, { 'one.txt': 'changed\n', 'new/two.txt': 'two\n', 'noise.log': 'noise\n' });
  writeFileSync(join(site.repository, '.git/worktrees', record.id, 'index.lock'), '');
  const settled = await settle(site, record);
  const commit = tipOf(site, 'carrel/a');
  expect(settled).toMatchObject({ kind: 'settled', commit, changed: true, committed: true });
  expect(git(site.repository, 'show', '--name-only', '--format=%B', commit).split('\n')).toEqual([
    ...MESSAGE.split('\n'),
    '',
    '',
    'new/two.txt',
    'one.txt',
  ]);
  expect(await settle(site, record, commit)).toEqual({
    ...{ kind: 'settled', commit, changed: false, committed: false, warnings: [] },
  });
});

test('work on another branch that goes on from ours, or on none, comes to our branch', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  git(record.path, 'switch', '--quiet', '--create', 'idea');
  const idea = commitFiles(record.path, { 'idea.txt': 'idea\n' });
  writeFiles(record.path, { 'more.txt': 'more\n' });
  const first = await settle(site, record);
  expect(first).toMatchObject({
    kind: 'settled',
    committed: true,
    warnings: [expect.stringContaining('idea')],
  });
  expect(git(record.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/a');
  expect(git(record.path, 'rev-parse', 'HEAD~1', 'idea').split('\n')).toEqual([idea, idea]);
  git(record.path, 'checkout', '--quiet', '--detach');
  const loose = commitFiles(record.path, { 'loose.txt': 'loose\n' });
  expect(await settle(site, record, idea)).toMatchObject({
    kind: 'settled',
    commit: loose,
    committed: false,
  });
  git(record.path, 'branch', '--move', 'renamed');
  expect(await settle(site, record, loose)).toMatchObject({ kind: 'settled', commit: loose });
  expect(git(record.path, 'status', '--porcelain', '--branch')).toBe('## carrel/a');
});

test('work on a branch that leaves ours behind fails, is held by a snapshot and stays as it is', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const before = commitFiles(record.path, { 'one.txt': 'ours\n' });
  git(record.path, 'checkout', '--quiet', '-b', 'elsewhere', 'main');
  writeFiles(record.path, { 'other.txt': 'other\n' });
  const settled = await settle(site, record, before);
  expect(settled).toMatchObject({ kind: 'failed', failure: { kind: 'branch-left' } });
  expect(git(record.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/elsewhere');
  const [snapshot] = await site.app.store.snapshots.list({ workspaceId: record.id });
  expect(git(site.repository, 'show', `${snapshot?.commit}:other.txt`)).toBe('other');
  expect(tipOf(site, 'carrel/a')).toBe(before);
});

test('a rebase in progress is named and left alone, after a snapshot', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const ours = commitFiles(record.path, { 'one.txt': 'ours\n' });
  commitFiles(site.repository, { 'one.txt': 'theirs\n' });
  expect(() => git(record.path, 'rebase', '--quiet', 'main')).toThrow();
  const settled = await settle(site, record);
  expect(settled).toMatchObject({
    kind: 'failed',
    failure: { kind: 'operation-in-progress', hint: expect.stringMatching(/git rebase --abort .* snap_/) },
  });
  expect(readFileSync(join(record.path, 'one.txt'), 'utf8')).toContain('<<<<<<<');
  git(record.path, 'rebase', '--abort');
  expect(await settle(site, record)).toMatchObject({ kind: 'settled', commit: ours });
});

test('what an agent rewrote stays pinned, and is in the snapshot when the workspace has gone', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const before = commitFiles(record.path, { 'one.txt': 'first\n' });
  git(record.path, 'reset', '--quiet', '--hard', 'main');
  git(record.path, 'reflog', 'expire', '--expire=now', '--all');
  const settled = await settle(site, record, before);
  expect(settled).toMatchObject({
    ...{ kind: 'settled', commit: record.base.commit, committed: false, changed: true },
    warnings: [expect.stringContaining(before.slice(0, 10))],
  });
  const { snapshot } = await removeRecord(site.app, record, { accepted: {}, reason: 'down' });
  git(site.repository, 'gc', '--quiet', '--prune=now');
  const held = await site.app.store.snapshots.find(snapshot as string);
  expect(git(site.repository, 'merge-base', before, held?.commit as string)).toBe(before);
  expect(git(site.repository, 'for-each-ref', `refs/carrel/workspaces/${record.id}`)).toBe('');
});

test('an agent that deletes or replaces its worktree is told where its commits are', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  commitFiles(record.path, { 'one.txt': 'committed\n' });
  rmSync(record.path, { recursive: true });
  const lost = {
    kind: 'failed',
    failure: { kind: 'workspace-lost', hint: expect.stringContaining('carrel/a') },
  };
  expect(await settle(site, record)).toMatchObject(lost);
  mkdirSync(record.path);
  expect(await settle(site, record)).toMatchObject(lost);
});

test('unsettled conflicts and repositories within are for the agent to mend', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  git(record.path, 'init', '--quiet', 'within');
  commitFiles(join(record.path, 'within'), { 'a.txt': 'a\n' });
  const settled = await settle(site, record);
  expect(settled).toMatchObject({
    kind: 'failed',
    failure: {
      kind: 'agent-failed',
      message: expect.stringContaining('within/'),
      hint: expect.stringMatching(/as it was it is in snap_/),
    },
  });
});

test('in a directory of the user only HEAD is looked at', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a', { isolation: 'shared' });
  writeFiles(site.repository, { 'one.txt': 'changed\n' });
  const commit = record.base.commit;
  expect(await settle(site, record)).toMatchObject({
    kind: 'settled',
    commit,
    changed: false,
    committed: false,
  });
  expect(git(site.repository, 'status', '--porcelain')).toBe(' M one.txt');
});

test('in jj a change gets a description, and the bookmark of the workspace follows', async context => {
  requireJj(context);
  const site = await makeWorkSite(makeJjRepository('plain'), { JJ_CONFIG: '/dev/null' });
  const record = await site.up('a');
  expect(await settle(site, record)).toMatchObject({ commit: record.base.commit, committed: false });
  writeFiles(record.path, { 'a.txt': 'a\n' });
  const first = await settle(site, record);
  expect(first).toMatchObject({ kind: 'settled', changed: true, committed: true });
  writeFiles(record.path, { 'b.txt': 'b\n' });
  jj(record.path, 'describe', '-m', 'of the agent');
  const second = await settle(site, record, jjCommit(site.repository, 'carrel/a'));
  expect(second).toMatchObject({
    kind: 'settled',
    commit: jjCommit(site.repository, 'carrel/a'),
    warnings: [],
  });
  const log = ['log', '--no-graph', '-r', 'main..carrel/a', '-T', 'description.first_line() ++ "\\n"'];
  const subjects = ['of the agent', 'do: something'];
  expect(jj(site.repository, ...log).split('\n')).toEqual(subjects);
  expect(await finishWorkspace(site.app, await site.task(record))).toEqual({ kept: false, warnings: [] });
  expect(jj(site.repository, ...log).split('\n')).toEqual(subjects);
});

test('in a sandbox the git inside commits, comes back to the branch, and the commits are taken back', async context => {
  requireBubblewrap(context);
  const site = await makeWorkSite();
  const record = await site.up('a', { isolation: 'full', strict: true });
  const inside = async (script: string) => {
    const command = ['sh', '-ec', script];
    const { repository } = site;
    const result = await execInWorkspace(site.app, { repository, name: 'a', command, output: 'capture' });
    expect(result).toMatchObject({ exitCode: 0 });
  };
  await inside(`git switch -qc idea && echo one >idea.txt && git add . && git commit -qm idea && echo two >two.txt
    cd "$(git rev-parse --git-dir)" && mkdir -p hooks && printf '#!/bin/sh\\nexit 1\\n' >hooks/pre-commit
    chmod +x hooks/pre-commit && touch index.lock`);
  const settled = await settle(site, record);
  const commit = tipOf(site, 'carrel/a');
  expect(settled).toMatchObject({
    ...{
      kind: 'settled',
      commit,
      changed: true,
      committed: true,
      warnings: [expect.stringContaining('idea')],
    },
  });
  expect(git(site.repository, 'log', '--format=%s', 'main..carrel/a')).toBe('do: something\nidea');
  await inside(
    'test "$(git symbolic-ref HEAD)" = refs/heads/carrel/a && test -z "$(git status --porcelain)"',
  );
  await inside('git switch -q --orphan nothing && git commit -q --no-verify --allow-empty -m nothing');
  expect(await settle(site, record, commit)).toMatchObject({ failure: { kind: 'branch-left' } });
  await inside('git switch -q carrel/a && git bisect start -q');
  await inside('touch "$(git rev-parse --git-dir)/index.lock"');
  expect(await settle(site, record, commit)).toMatchObject({ failure: { kind: 'operation-in-progress' } });
  await inside('test ! -e "$(git rev-parse --git-dir)/index.lock"');
});
