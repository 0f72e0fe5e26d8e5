import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { makeStorySite } from '../../../../test/helpers/task/story-site.js';
import type { DeveloperWorkflow } from '../../../domain/story/developer-workflow.js';

/** Holds its slot until the gate, a named pipe, is written to. */
const WAIT_AT_THE_GATE = `
  case "$(cat "$CARREL_PROMPT_FILE")" in *"Hold the slot"*) echo holds >> "$TALLY"; cat "$TALLY.gate" ;; esac
  echo made > made.txt`;

async function makeBlockedSite() {
  const site = await makeStorySite(WAIT_AT_THE_GATE, {
    config: { tasks: { workflow: 'work', concurrency: 1 } },
  });
  const gate = join(site.carrel.home, 'tally.gate');
  expect(spawnSync('mkfifo', [gate]).status).toBe(0);
  const send = async (story: string): Promise<DeveloperWorkflow> => {
    const answer = await site.post('/api/developer/workflows', { story, targetRepository: site.repository });
    expect(answer.status).toBe(202);
    return (await answer.json()) as DeveloperWorkflow;
  };
  const finish = async (id: string): Promise<DeveloperWorkflow> => {
    for await (const _ of site.client.events({ taskId: id, after: 0 }));
    return site.client.developer.show(id);
  };
  const holder = await send('Hold the slot');
  for await (const { type } of site.client.events({ taskId: holder.id, after: 0 }))
    if (type === 'task.workspace-ready') break;
  return { ...site, send, finish, holder, open: () => writeFile(gate, 'go\n') };
}

test('every answer has the path of its worktree while another task holds the only slot, and it is made exactly there', async () => {
  const { send, finish, holder, open, client } = await makeBlockedSite();
  const accepted: DeveloperWorkflow[] = [];
  for (let i = 0; i < 10; i++) accepted.push(await send('The same story each time'));
  for (const each of accepted) {
    expect(each).toMatchObject({ status: 'pending', worktreeId: null, worktreeKept: false });
    expect(existsSync(each.worktreePath ?? '')).toBe(false);
  }
  const paths = accepted.map(({ worktreePath }) => worktreePath);
  expect(paths).not.toContain(null);
  expect(new Set([...paths, holder.worktreePath]).size).toBe(11);
  await open();
  for (const { id, worktreePath } of [holder, ...accepted]) {
    expect(await finish(id)).toMatchObject({ status: 'completed', worktreePath, worktreeKept: true });
    expect(existsSync(join(worktreePath ?? '', 'made.txt'))).toBe(true);
  }
  expect((await client.developer.worktrees()).map(({ worktreePath }) => worktreePath).toSorted()).toEqual(
    [holder.worktreePath, ...paths].toSorted(),
  );
});

thoroughTest('a waiting task holds its name until it is cancelled, and a retry gets one again', async () => {
  const { send, finish, open, client, carrel, repository, holder } = await makeBlockedSite();
  const { id, worktreePath, task } = await send('Take this name');
  const name = task.workspaceName as string;
  expect(carrel.error(repository, 'up', name)).toMatchObject({
    code: 'WORKSPACE_EXISTS',
    details: { name, path: worktreePath },
  });
  carrel.ok(repository, 'up', 'other');
  expect(carrel.error(repository, 'rename', 'other', name)).toMatchObject({ code: 'WORKSPACE_EXISTS' });
  await expect(client.developer.removeWorktree(id)).rejects.toMatchObject({ code: 'WORKTREE_IN_USE' });
  expect(await client.tasks.cancel(id)).toMatchObject({ status: 'cancelled' });
  carrel.ok(repository, 'up', name);
  expect(existsSync(worktreePath ?? '')).toBe(true);
  const again = await client.tasks.retry(id);
  expect(again).toMatchObject({ status: 'waiting', workspaceName: `${name}-r2` });
  expect(again.worktreePath).not.toBe(worktreePath);
  await open();
  expect(await finish(id)).toMatchObject({ status: 'completed', worktreePath: again.worktreePath });
  expect(await finish(holder.id)).toMatchObject({ status: 'completed' });
});

thoroughTest(
  'files that appear at the promised path are never used, and a retry uses another path',
  async () => {
    const { send, finish, open, client, carrel, repository } = await makeBlockedSite();
    const { id, worktreePath } = await send('Find it occupied');
    carrel.ok(repository, 'up', 'other');
    expect(spawnSync('mkdir', ['-p', worktreePath as string]).status).toBe(0);
    await writeFile(join(worktreePath as string, 'mine.txt'), 'mine\n');
    await open();
    expect(await finish(id)).toMatchObject({
      status: 'failed',
      task: { failure: { message: expect.stringContaining(worktreePath as string) } },
    });
    const again = await client.tasks.retry(id);
    expect(await finish(id)).toMatchObject({ status: 'completed', worktreePath: again.worktreePath });
    expect(again.worktreePath).not.toBe(worktreePath);
    expect(existsSync(join(worktreePath as string, 'made.txt'))).toBe(false);
  },
);
