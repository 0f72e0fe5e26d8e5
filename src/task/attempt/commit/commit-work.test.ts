import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { jj, jjCommit, makeJjRepository, requireJj } from '../../../../test/helpers/git/jj.js';
import { commitFiles, git, writeFiles } from '../../../../test/helpers/repository.js';
import { makeWorkSite, type WorkSite } from '../../../../test/helpers/task/work-site.js';
import { requireBubblewrap } from '../../../../test/parts/bubblewrap.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { execInWorkspace } from '../../../operations/command/exec.js';
import { removeRecord } from '../../../operations/removal/down.js';
import { removeTaskWorkspaces } from '../../delivery/remove-task-workspaces.js';
import { commitWork } from './commit-work.js';

const MESSAGE = 'do: something\n\nCarrel-Task: task_1';

const commitAll = ({ app }: WorkSite, record: WorkspaceRecord, before = record.base.commit) =>
  commitWork(app, record, { before, message: MESSAGE });

const tipOf = ({ repository }: WorkSite, branch: string): string => git(repository, 'rev-parse', branch);

test("commits uncommitted changes of an agent without the repository's hooks", async () => {
  const site = await makeWorkSite();
  writeFileSync(join(site.repository, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const record = await site.up('a');
  writeFiles(record.path, { 'one.txt': 'changed\n', 'new/two.txt': 'two\n', 'noise.log': 'noise\n' });
  writeFileSync(join(site.repository, '.git/worktrees', record.id, 'index.lock'), '');
  const committed = await commitAll(site, record);
  const commit = tipOf(site, 'carrel/a');
  expect(committed).toMatchObject({ kind: 'committed', commit, changed: true, committed: true });
  expect(git(site.repository, 'show', '--name-only', '--format=%B', commit).split('\n')).toEqual([
    ...MESSAGE.split('\n'),
    '',
    '',
    'new/two.txt',
    'one.txt',
  ]);
  expect(await commitAll(site, record, commit)).toEqual({
    ...{ kind: 'committed', commit, changed: false, committed: false, warnings: [] },
  });
});

thoroughTest(
  'work on a branch that continues ours, or on a detached HEAD, is moved to our branch',
  async () => {
    const site = await makeWorkSite();
    const record = await site.up('a');
    git(record.path, 'switch', '--quiet', '--create', 'idea');
    const idea = commitFiles(record.path, { 'idea.txt': 'idea\n' });
    writeFiles(record.path, { 'more.txt': 'more\n' });
    const first = await commitAll(site, record);
    expect(first).toMatchObject({
      kind: 'committed',
      committed: true,
      warnings: [expect.stringContaining('idea')],
    });
    expect(git(record.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/carrel/a');
    expect(git(record.path, 'rev-parse', 'HEAD~1', 'idea').split('\n')).toEqual([idea, idea]);
    git(record.path, 'checkout', '--quiet', '--detach');
    const loose = commitFiles(record.path, { 'loose.txt': 'loose\n' });
    expect(await commitAll(site, record, idea)).toMatchObject({
      kind: 'committed',
      commit: loose,
      committed: false,
    });
    git(record.path, 'branch', '--move', 'renamed');
    expect(await commitAll(site, record, loose)).toMatchObject({ kind: 'committed', commit: loose });
    expect(git(record.path, 'status', '--porcelain', '--branch')).toBe('## carrel/a');
  },
);

test('work on a branch without our commits fails, is saved in a snapshot and stays unchanged', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const before = commitFiles(record.path, { 'one.txt': 'ours\n' });
  git(record.path, 'checkout', '--quiet', '-b', 'elsewhere', 'main');
  writeFiles(record.path, { 'other.txt': 'other\n' });
  const committed = await commitAll(site, record, before);
  expect(committed).toMatchObject({ kind: 'failed', failure: { kind: 'branch-left' } });
  expect(git(record.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/elsewhere');
  const [snapshot] = await site.app.store.snapshots.list({ workspaceId: record.id });
  expect(git(site.repository, 'show', `${snapshot?.commit}:other.txt`)).toBe('other');
  expect(tipOf(site, 'carrel/a')).toBe(before);
});

thoroughTest('reports a rebase in progress and leaves it alone, after a snapshot', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  const ours = commitFiles(record.path, { 'one.txt': 'ours\n' });
  commitFiles(site.repository, { 'one.txt': 'theirs\n' });
  expect(() => git(record.path, 'rebase', '--quiet', 'main')).toThrow();
  const committed = await commitAll(site, record);
  expect(committed).toMatchObject({
    kind: 'failed',
    failure: { kind: 'operation-in-progress', hint: expect.stringMatching(/git rebase --abort .* snap_/) },
  });
  expect(readFileSync(join(record.path, 'one.txt'), 'utf8')).toContain('<<<<<<<');
  git(record.path, 'rebase', '--abort');
  expect(await commitAll(site, record)).toMatchObject({ kind: 'committed', commit: ours });
});

thoroughTest(
  'rewritten commits stay pinned, and are in the snapshot after the workspace is removed',
  async () => {
    const site = await makeWorkSite();
    const record = await site.up('a');
    const before = commitFiles(record.path, { 'one.txt': 'first\n' });
    git(record.path, 'reset', '--quiet', '--hard', 'main');
    git(record.path, 'reflog', 'expire', '--expire=now', '--all');
    const committed = await commitAll(site, record, before);
    expect(committed).toMatchObject({
      ...{ kind: 'committed', commit: record.base.commit, committed: false, changed: true },
      warnings: [expect.stringContaining(before.slice(0, 10))],
    });
    const { snapshot } = await removeRecord(site.app, record, { accepted: {}, reason: 'down' });
    git(site.repository, 'gc', '--quiet', '--prune=now');
    const held = await site.app.store.snapshots.find(snapshot as string);
    expect(git(site.repository, 'merge-base', before, held?.commit as string)).toBe(before);
    expect(git(site.repository, 'for-each-ref', `refs/carrel/workspaces/${record.id}`)).toBe('');
  },
);

test('reports where the commits are when an agent deletes or replaces its worktree', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  commitFiles(record.path, { 'one.txt': 'committed\n' });
  rmSync(record.path, { recursive: true });
  const lost = {
    kind: 'failed',
    failure: { kind: 'workspace-lost', hint: expect.stringContaining('carrel/a') },
  };
  expect(await commitAll(site, record)).toMatchObject(lost);
  mkdirSync(record.path);
  expect(await commitAll(site, record)).toMatchObject(lost);
});

test('the agent has to fix unresolved conflicts and nested repositories', async () => {
  const site = await makeWorkSite();
  const record = await site.up('a');
  git(record.path, 'init', '--quiet', 'within');
  commitFiles(join(record.path, 'within'), { 'a.txt': 'a\n' });
  const committed = await commitAll(site, record);
  expect(committed).toMatchObject({
    kind: 'failed',
    failure: {
      kind: 'agent-failed',
      message: expect.stringContaining('within/'),
      hint: expect.stringMatching(/its current state is saved in snap_/),
    },
  });
});

test("in the user's own directory only HEAD is checked", async () => {
  const site = await makeWorkSite();
  const record = await site.up('a', { isolation: 'shared' });
  writeFiles(site.repository, { 'one.txt': 'changed\n' });
  const commit = record.base.commit;
  expect(await commitAll(site, record)).toMatchObject({
    kind: 'committed',
    commit,
    changed: false,
    committed: false,
  });
  expect(git(site.repository, 'status', '--porcelain')).toBe(' M one.txt');
});

thoroughTest(
  'in jj a change gets a description, and the bookmark of the workspace follows',
  async context => {
    requireJj(context);
    const site = await makeWorkSite(makeJjRepository('plain'), { JJ_CONFIG: '/dev/null' });
    const record = await site.up('a');
    expect(await commitAll(site, record)).toMatchObject({ commit: record.base.commit, committed: false });
    writeFiles(record.path, { 'a.txt': 'a\n' });
    const first = await commitAll(site, record);
    expect(first).toMatchObject({ kind: 'committed', changed: true, committed: true });
    writeFiles(record.path, { 'b.txt': 'b\n' });
    jj(record.path, 'describe', '-m', 'of the agent');
    const second = await commitAll(site, record, jjCommit(site.repository, 'carrel/a'));
    expect(second).toMatchObject({
      kind: 'committed',
      commit: jjCommit(site.repository, 'carrel/a'),
      warnings: [],
    });
    const log = ['log', '--no-graph', '-r', 'main..carrel/a', '-T', 'description.first_line() ++ "\\n"'];
    const subjects = ['of the agent', 'do: something'];
    expect(jj(site.repository, ...log).split('\n')).toEqual(subjects);
    expect(await removeTaskWorkspaces(site.app, await site.task(record))).toEqual({
      kept: false,
      warnings: [],
    });
    expect(jj(site.repository, ...log).split('\n')).toEqual(subjects);
  },
);

thoroughTest(
  'in a sandbox the git inside commits and returns to the branch, and the commits are imported',
  async context => {
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
    const committed = await commitAll(site, record);
    const commit = tipOf(site, 'carrel/a');
    expect(committed).toMatchObject({
      ...{
        kind: 'committed',
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
    expect(await commitAll(site, record, commit)).toMatchObject({ failure: { kind: 'branch-left' } });
    await inside('git switch -q carrel/a && git bisect start -q');
    await inside('touch "$(git rev-parse --git-dir)/index.lock"');
    expect(await commitAll(site, record, commit)).toMatchObject({
      failure: { kind: 'operation-in-progress' },
    });
    await inside('test ! -e "$(git rev-parse --git-dir)/index.lock"');
  },
);
