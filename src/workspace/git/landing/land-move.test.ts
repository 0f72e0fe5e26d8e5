import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint, hashTree } from '../../../../test/helpers/fingerprint.js';
import { commitFiles, git as plainGit, writeFiles } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { makeWorkspace, refusal } from '../../../../test/helpers/workspace/landing.js';
import { type RunRequest, runProcess } from '../../../exec/run-process.js';

test('of two landings planned on the same commit, one succeeds and the other changes nothing', async () => {
  const { path, run, landing, record, request } = makeWorkspace();
  commitFiles(path, { 'c.txt': '1\n' }, 'one');
  const squash = await landing.prepare(record, request({ strategy: 'squash', message: 'squashed' }));
  const merge = await landing.prepare(record, request());
  const outcomes = await Promise.allSettled(
    [squash, merge].map(plan => landing.move(record, plan, async () => {})),
  );
  const refused = outcomes
    .filter(outcome => outcome.status === 'rejected')
    .map(outcome => outcome.reason.code);
  expect(refused).toEqual(['REF_MOVED']);
  const winner = outcomes[0]?.status === 'fulfilled' ? squash : merge;
  expect(run('rev-parse', 'main')).toBe(winner.after);
  expect(run('status', '--porcelain')).toBe('');
});

test('a target that moved after the plan is reported', async () => {
  const workspace = makeWorkspace();
  const { path, repository, landing, record, request } = workspace;
  commitFiles(path, { 'c.txt': '1\n' });
  const plan = await landing.prepare(record, request());
  const found = commitFiles(repository, { 'd.txt': '1\n' });
  expect(await refusal(workspace, () => landing.move(record, plan, async () => {}))).toEqual({
    code: 'REF_MOVED',
    details: { ref: 'refs/heads/main', expected: plan.before, found },
  });
});

test('when a checkout changes after the ref has moved, the ref is moved back', async () => {
  const { path, repository, run, landing, record, request } = makeWorkspace();
  commitFiles(path, { 'b.txt': 'B\n', 'c.txt': '1\n' });
  const plan = await landing.prepare(record, request());
  const steps: string[] = [];
  const moved = landing.move(record, plan, async step => {
    steps.push(step);
    writeFiles(repository, { 'b.txt': 'mine\n' });
  });
  await expect(moved).rejects.toMatchObject({ code: 'LAND_CHECKOUT_DIRTY', details: { files: ['b.txt'] } });
  expect(steps).toEqual(['moved']);
  expect(run('rev-parse', 'main')).toBe(plan.before);
  expect(run('status', '--porcelain')).toBe(' M b.txt');
  expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('mine\n');
});

test("when the second checkout can't be updated, the first is moved back too", async () => {
  const linked = join(tempDir(), 'linked');
  const run = (request: RunRequest) =>
    request.args.includes('read-tree') && !request.args.includes('--dry-run') && request.cwd === linked
      ? runProcess({ ...request, args: ['no-such-command'] })
      : runProcess(request);
  const workspace = makeWorkspace({ run });
  const { path, repository, landing, record, request } = workspace;
  workspace.run('worktree', 'add', '--quiet', '--force', linked, 'main');
  commitFiles(path, { 'b.txt': 'B\n', 'c.txt': '1\n' });
  const plan = await landing.prepare(record, request());
  expect(plan.checkouts).toEqual([repository, linked]);
  await expect(landing.move(record, plan, async () => {})).rejects.toMatchObject({ code: 'GIT_FAILED' });
  expect(workspace.run('rev-parse', 'main')).toBe(plan.before);
  for (const checkout of plan.checkouts) expect(plainGit(checkout, 'status', '--porcelain')).toBe('');
});

/** Killed right after a step: no later step runs. */
async function moveUntil(workspace: ReturnType<typeof makeWorkspace>, last: string) {
  const plan = await workspace.landing.prepare(workspace.record, workspace.request());
  const killed = new Error('killed');
  const move = workspace.landing.move(workspace.record, plan, async step => {
    if (step === last) throw killed;
  });
  await expect(move).rejects.toBe(killed);
  return plan;
}

test.each(['moved', 'checked-out'])(
  'after a crash at %s the checkout is updated, and finishing twice is safe',
  async step => {
    const workspace = makeWorkspace();
    const { path, repository, run, landing, record } = workspace;
    commitFiles(path, { 'b.txt': 'B\n', 'c.txt': '1\n' });
    const plan = await moveUntil(workspace, step);
    await landing.finish(record, plan);
    await landing.finish(record, plan);
    expect(run('rev-parse', 'main')).toBe(plan.after);
    expect(run('status', '--porcelain')).toBe('');
    expect(readFileSync(join(repository, 'b.txt'), 'utf8')).toBe('B\n');
  },
);

test('after a crash it finishes even when the workspace is gone', async () => {
  const workspace = makeWorkspace();
  commitFiles(workspace.path, { 'c.txt': '1\n' });
  const plan = await moveUntil(workspace, 'moved');
  workspace.run('worktree', 'remove', '--force', workspace.path);
  await workspace.landing.finish(workspace.record, plan);
  expect(workspace.run('status', '--porcelain')).toBe('');
});

test("after a crash, a landing is undone when the checkout can't be updated, and the user's edits stay", async () => {
  const workspace = makeWorkspace();
  commitFiles(workspace.path, { 'b.txt': 'B\n' });
  const before = fingerprint(workspace.repository);
  const plan = await moveUntil(workspace, 'moved');
  writeFiles(workspace.repository, { 'b.txt': 'mine\n' });
  await workspace.landing.finish(workspace.record, plan);
  const { refs, index, head } = fingerprint(workspace.repository);
  expect({ refs, index, head }).toEqual({ refs: before.refs, index: before.index, head: before.head });
  expect(workspace.run('status', '--porcelain')).toBe(' M b.txt');
});

test('a plan whose ref did not move, moved further or is gone needs no finishing', async () => {
  const { path, repository, run, landing, record, request } = makeWorkspace();
  commitFiles(path, { 'c.txt': '1\n' });
  const plan = await landing.prepare(record, request());
  const before = fingerprint(repository);
  await landing.finish(record, plan);
  expect(fingerprint(repository)).toEqual(before);
  commitFiles(repository, { 'd.txt': '1\n' });
  const later = fingerprint(repository);
  await landing.finish(record, plan);
  expect(fingerprint(repository)).toEqual(later);
  run('switch', '--quiet', '-c', 'renamed');
  run('branch', '-D', '--quiet', 'main');
  await landing.finish(record, plan);
  await expect(landing.move(record, plan, async () => {})).rejects.toMatchObject({ code: 'REF_MOVED' });
});

test('no hook of the repository runs, and nothing is left in the temporary directory', async () => {
  const { path, repository, land, temporaryRoot } = makeWorkspace();
  for (const hook of [
    'reference-transaction',
    'post-merge',
    'post-checkout',
    'post-index-change',
    'pre-rebase',
  ]) {
    writeFileSync(join(repository, '.git/hooks', hook), `#!/bin/sh\ntouch '${repository}/ran'\n`, {
      mode: 0o755,
    });
  }
  commitFiles(path, { 'c.txt': '1\n' });
  rmSync(join(repository, 'ran'), { force: true });
  await land({ strategy: 'squash' });
  expect(existsSync(join(repository, 'ran'))).toBe(false);
  expect(hashTree(temporaryRoot)).toBe(hashTree(tempDir()));
});
