import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git } from '../../helpers/repository.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { waitFor } from '../../helpers/wait-for.js';

/** The fields that the document names; nothing else is read from an answer. */
interface Execution {
  readonly id: string;
  readonly worktreePath: string;
  readonly status: string;
}

test('a client written from the document alone sends, follows, validates and removes, even after a build that left files', async () => {
  const { repository, carrel } = makeScriptedTasks({
    agents: { worker: 'mkdir -p src; echo "exit 0" > src/build.sh' },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });
  const { url, token, stop } = await serveCarrel(carrel, repository, '--port', '0');
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/api/developer/${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
  // 1: the request, with story content and targetRepository.
  const story = { content: 'Write a build script', targetRepository: repository };
  const sent = await call('workflows', { method: 'POST', body: JSON.stringify(story) });
  expect(sent.ok).toBe(true);
  const { id, worktreePath } = (await sent.json()) as Execution;
  expect([id, worktreePath]).toEqual([expect.any(String), expect.stringMatching(/^\//)]);
  // 2 and 3: it is executed; the status is completed, and the path is the one of the first answer.
  const done = await waitFor('the story', async () => {
    const execution = (await (await call(`workflows/${id}`)).json()) as Execution;
    return ['pending', 'running'].includes(execution.status) ? undefined : execution;
  });
  expect(done).toMatchObject({ id, worktreePath, status: 'completed' });
  // 4: build and expected files in worktreePath. The build leaves a file that git does not ignore.
  expect(readFileSync(join(worktreePath, 'src/build.sh'), 'utf8')).toBe('exit 0\n');
  writeFileSync(join(worktreePath, 'build.out'), 'built\n');
  expect(await (await call('worktrees')).json()).toMatchObject([{ workflowId: id, worktreePath }]);
  // 5: the removal. What could be work is not deleted by a plain request; the answer says which request does.
  const refused = await call(`worktrees/${id}`, { method: 'DELETE' });
  const problem = (await refused.json()) as { hint: string; detail: string };
  expect([refused.status, problem.detail]).toEqual([409, expect.stringContaining('build.out')]);
  expect(problem.hint).toContain('discard-changes');
  expect(existsSync(join(worktreePath, 'build.out'))).toBe(true);
  const removed = await call(`worktrees/${id}?discard-changes`, { method: 'DELETE' });
  const { snapshot } = (await removed.json()) as { snapshot: string };
  expect([removed.status, existsSync(worktreePath)]).toEqual([200, false]);
  expect(await (await call('worktrees')).json()).toEqual([]);
  // Nothing is lost: the work is on its branch, and the file of the build in the snapshot.
  const { task } = (await (await call(`workflows/${id}`)).json()) as { task: { branch: string } };
  expect(git(repository, 'show', `${task.branch}:src/build.sh`)).toBe('exit 0');
  carrel.ok(repository, 'restore', snapshot);
  expect(
    readFileSync(
      join(carrel.ok(repository, 'path', task.branch.split('/')[1] ?? '').trim(), 'build.out'),
      'utf8',
    ),
  ).toBe('built\n');
  expect(await stop()).toMatchObject({ status: 0, signal: null });
});
