import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprint } from '../../../../test/helpers/fingerprint.js';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../../../test/helpers/repository.js';
import { makeStorySite } from '../../../../test/helpers/task/story-site.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import type { DeveloperWorkflow } from '../../../domain/story/developer-workflow.js';

const WRITE = 'cp "$CARREL_PROMPT_FILE" made.txt; git add made.txt; git commit --quiet --message made';

test('a story runs in a worktree, can be inspected there, and is removed on request', async () => {
  const { client, post, fetch, repository } = await makeStorySite(WRITE);
  const before = fingerprint(repository);
  const accepted = await post('/api/developer/workflows', {
    story: 'Add a file',
    targetRepository: repository,
  });
  expect(accepted.status).toBe(202);
  const { id, worktreePath } = (await accepted.json()) as DeveloperWorkflow;
  expect(accepted.headers.get('location')).toBe(`/api/developer/workflows/${id}`);
  expect(worktreePath).toMatch(/^\//);
  for await (const _ of client.events({ taskId: id }));
  const done = await client.developer.show(id);
  expect(done).toMatchObject({
    id,
    status: 'completed',
    worktreePath,
    targetRepository: repository,
    worktreeKept: true,
  });
  expect(readFileSync(join(worktreePath ?? '', 'made.txt'), 'utf8')).toContain('Add a file');
  expect(await client.developer.worktrees()).toMatchObject([
    { id: done.worktreeId, workflowId: id, worktreePath, targetRepository: repository, status: 'ready' },
  ]);
  // Files of a validator count as work unless the request discards them.
  writeFiles(worktreePath ?? '', { 'report.txt': 'green\n' });
  const refused = await fetch(`/api/developer/worktrees/${id}`, { method: 'DELETE' });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({
    code: 'REMOVAL_REFUSED',
    details: { risks: [{ kind: 'untracked', items: ['report.txt'], flag: '--discard-changes' }] },
  });
  const removed = await client.developer.removeWorktree(id, { discardChanges: true });
  expect(removed).toMatchObject({ id: done.worktreeId, keptBranch: done.task.branch });
  expect(existsSync(worktreePath ?? '')).toBe(false);
  expect(await client.developer.show(id)).toMatchObject({ worktreePath, worktreeKept: false });
  await expect(client.developer.removeWorktree(id)).rejects.toMatchObject({ status: 404 });
  expect(git(repository, 'show', `${done.task.branch}:made.txt`)).toContain('Add a file');
  expect(fingerprint(repository)).toEqual(before);
});

test('a client that waits gets the result; a repeated request creates nothing', async () => {
  const { client, post, repository, tally } = await makeStorySite('echo ran >> "$TALLY"; exit 3');
  const body = { content: 'Try it', targetRepository: repository };
  const headers = { prefer: 'wait=60', 'idempotency-key': 'a-1' };
  const answers = await Promise.all([1, 2].map(() => post('/api/developer/workflows', body, headers)));
  const [first, second] = (await Promise.all(answers.map(each => each.json()))) as DeveloperWorkflow[];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[0]?.headers.get('preference-applied')).toBe('wait=60');
  expect(first).toMatchObject({ status: 'failed', worktreeKept: true });
  expect(second?.id).toBe(first?.id);
  expect(tally()).toEqual(['ran']);
  const other = await post('/api/developer/workflows', { ...body, content: 'Try that' }, headers);
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'IDEMPOTENCY_KEY_REUSED' }]);
  expect(await client.developer.list()).toHaveLength(1);
});

thoroughTest('does not remove the worktree of a running task, and says how to cancel it', async () => {
  const { client, repository } = await makeStorySite('exec sleep 600');
  const { id } = await client.developer.submit({ story: 'Wait', targetRepository: repository });
  for await (const { type } of client.events({ taskId: id, after: 0 }))
    if (type === 'task.workspace-ready') break;
  await expect(
    client.developer.removeWorktree(id, { breakLease: true, stopProcesses: true }),
  ).rejects.toMatchObject({
    status: 409,
    code: 'WORKTREE_IN_USE',
    hint: expect.stringContaining(`/api/tasks/${id}/cancel`),
  });
  expect(await client.tasks.cancel(id)).toMatchObject({ status: 'cancelled' });
  expect(await client.developer.removeWorktree(id)).toMatchObject({ id: expect.stringMatching(/^ws_/) });
});

thoroughTest(
  'clones the repository of a URL once, and starts each story from its current default branch',
  async () => {
    const { client, carrel, repository } = await makeStorySite(WRITE);
    const targetRepository = `file://${repository}`;
    const submit = (base?: string) =>
      client.developer.submit({ story: 'Add a file', targetRepository, base }, { waitSeconds: 60 });
    const first = await submit();
    expect(first).toMatchObject({
      status: 'completed',
      targetRepository,
      task: { base: git(repository, 'rev-parse', 'main') },
    });
    git(repository, 'commit', '--allow-empty', '--quiet', '--message', 'more');
    git(repository, 'branch', 'feature', 'HEAD~1');
    const second = await submit();
    expect(second.task).toMatchObject({ status: 'succeeded', base: git(repository, 'rev-parse', 'main') });
    expect(second.task.repository).toBe(first.task.repository);
    expect(dirname(second.task.repository)).toBe(join(carrel.stateDir, 'repositories'));
    expect((await submit('feature')).task.base).toBe(git(repository, 'rev-parse', 'feature'));
    expect(git(repository, 'branch', '--format=%(refname:short)').split('\n')).toEqual(['feature', 'main']);
    expect(await client.tasks.list({ repository: targetRepository })).toHaveLength(3);
  },
);

thoroughTest(
  'a repository that cannot be fetched leaves no clone behind, and is cloned once it can be',
  async () => {
    const { client, carrel, repository } = await makeStorySite(WRITE);
    const later = join(dirname(repository), 'later');
    mkdirSync(later);
    const submit = () =>
      client.developer.submit({ story: 'x', targetRepository: `file://${later}` }, { waitSeconds: 60 });
    const refusal = { status: 503, code: 'REPOSITORY_UNAVAILABLE' };
    await expect(submit()).rejects.toMatchObject(refusal);
    git(later, 'init', '--quiet', '--initial-branch=main');
    await expect(submit()).rejects.toMatchObject(refusal);
    expect(readdirSync(join(carrel.stateDir, 'repositories'))).toEqual([]);
    git(later, 'fetch', '--quiet', repository, 'main:main', '--update-head-ok');
    expect(await submit()).toMatchObject({ status: 'completed' });
  },
);

test('paths outside of the roots cannot be used, cloned, removed or told apart from missing ones', async () => {
  const { client, post, repository } = await makeStorySite(WRITE);
  const outside = makeRepository();
  const root = dirname(repository);
  symlinkSync(outside, join(root, 'link'));
  mkdirSync(join(root, 'worktree'));
  writeFiles(root, { 'worktree/.git': `gitdir: ${outside}/.git\n`, 'plain/file': '' });
  const refusal = async (targetRepository: string) => {
    const answer = await post('/api/developer/workflows', { story: 'x', targetRepository });
    const { code } = (await answer.json()) as { code: string };
    return `${answer.status} ${code}`;
  };
  const paths = [
    outside,
    `${outside}-gone`,
    join(root, 'link'),
    join(root, 'worktree'),
    `${repository}/../../x`,
    '/',
  ];
  for (const path of [...paths, `file://${outside}`, `file://${root}/link`, `file://${root}/%2e%2e/x`])
    expect(`${path}: ${await refusal(path)}`).toBe(`${path}: 403 REPOSITORY_NOT_ALLOWED`);
  for (const url of [
    'ext::sh -c id',
    `--upload-pack=id ${repository}`,
    'https://example.com/code',
    'git@example.com:code',
  ])
    expect(await refusal(url)).toBe('403 REPOSITORY_NOT_ALLOWED');
  for (const path of [join(root, 'plain'), join(root, 'gone')])
    expect(await refusal(path)).toBe('422 NOT_A_REPOSITORY');
  for (const id of [outside, `../../${outside}`, '..', '%2e%2e', 'task_%', 'ws____', tempDir()])
    await expect(client.developer.removeWorktree(id, { discardChanges: true })).rejects.toMatchObject({
      status: 404,
    });
  expect(existsSync(outside)).toBe(true);
  expect(await client.tasks.list()).toEqual([]);
});
