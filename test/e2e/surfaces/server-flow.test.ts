import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeveloperWorkflow, DeveloperWorktree } from '../../../src/domain/story/developer-workflow.js';
import { git } from '../../helpers/repository.js';
import { serveCarrel } from '../../helpers/server/served-carrel.js';
import { makeScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { requirePart } from '../../parts/required-part.js';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

test('a validator drives a story with nothing but curl, from the request to the clean-up', async context => {
  requirePart(context, hasCurl, 'curl');
  const { repository, carrel } = makeScriptedTasks({
    agents: { worker: 'echo "print(42)" > answer.py' },
    stages: [{ name: 'only', agent: 'worker' }],
    workflow: { isolation: 'worktree' },
  });
  const { url, token, stop } = await serveCarrel(carrel, repository, '--port', '0');
  const curl = <T>(...args: string[]): T => {
    const { stdout } = spawnSync('curl', ['-sS', '-H', `Authorization: Bearer ${token}`, ...args], {
      encoding: 'utf8',
    });
    return JSON.parse(stdout) as T;
  };
  // 1, 2 and 3: the story is sent, run, and answered with the location of its code.
  const body = JSON.stringify({ story: 'Print the answer', targetRepository: repository });
  const workflow = curl<DeveloperWorkflow>(
    ...[`${url}/api/developer/workflows`, '-H', 'Content-Type: application/json', '-H', 'Prefer: wait=60'],
    ...['-d', body],
  );
  expect(workflow).toMatchObject({ status: 'completed', targetRepository: repository });
  const { id, worktreePath } = workflow;
  expect(curl<DeveloperWorkflow>(`${url}/api/developer/workflows/${id}`)).toEqual(workflow);
  // 4: it is validated there.
  expect(existsSync(join(worktreePath ?? '', 'answer.py'))).toBe(true);
  expect(curl<DeveloperWorktree[]>(`${url}/api/developer/worktrees`)).toMatchObject([
    { workflowId: id, worktreePath },
  ]);
  // 5: it is cleaned up; the work stays on its branch.
  expect(curl('-X', 'DELETE', `${url}/api/developer/worktrees/${id}`)).toMatchObject({ path: worktreePath });
  expect(existsSync(worktreePath ?? '')).toBe(false);
  expect(git(repository, 'show', `${workflow.task.branch}:answer.py`)).toBe('print(42)');
  expect(await stop()).toMatchObject({ status: 0, signal: null });
});
