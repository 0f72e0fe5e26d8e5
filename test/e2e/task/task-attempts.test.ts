import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git } from '../../helpers/repository.js';
import { makeScriptedTasks, type ScriptedTasks } from '../../helpers/task/scripted-tasks.js';
import { needProgram } from '../../parts/required-part.js';

const worktree = { isolation: 'worktree' };

const fileOf = ({ repository }: ScriptedTasks, task: Task, path: string): string =>
  git(repository, 'show', `${task.branch}:${path}`);
const subjectsOf = ({ repository }: ScriptedTasks, { branch }: Task): string[] =>
  git(repository, 'log', '--format=%s', `main..${branch}`).split('\n');

test('the work of a failed attempt is on the branch before the next attempt starts', () => {
  const site = makeScriptedTasks({
    agents: {
      rash: `if test ! -e "$TALLY"; then
        echo once >> "$TALLY"; echo work > work.txt; touch "$(git rev-parse --git-dir)/index.lock"; exit 1
      fi
      git reset -q --hard && git clean -qfd && echo more > more.txt`,
    },
    stages: [{ name: 'only', agent: 'rash', retries: 1 }],
    workflow: worktree,
  });
  const task = site.run();
  expect(task).toMatchObject({ status: 'succeeded', stages: [{ attempts: 2, changed: true }] });
  expect([fileOf(site, task, 'work.txt'), fileOf(site, task, 'more.txt')]).toEqual(['work', 'more']);
  expect(subjectsOf(site, task)).toEqual(['only: Do it', 'only: attempt 1, not finished']);
});

thoroughTest('a retry keeps leftover changes and fixes, and gives the agent the failure', () => {
  const site = makeScriptedTasks({
    agents: {
      rash: `if test ! -e "$TALLY"; then echo half > half.txt; echo because >&2; echo begun >> "$TALLY"; exit 7; fi
        git reset -q --hard; git clean -qfd; cat >> "$TALLY"`,
    },
    stages: [{ name: 'only', agent: 'rash' }],
    workflow: worktree,
  });
  const { id, worktreePath } = site.run();
  expect(git(worktreePath as string, 'status', '--porcelain')).toBe('');
  writeFileSync(join(worktreePath as string, 'mended.txt'), 'mended\n');
  const task = site.retry(id);
  expect(task.status).toBe('succeeded');
  expect([fileOf(site, task, 'half.txt'), fileOf(site, task, 'mended.txt')]).toEqual(['half', 'mended']);
  expect(site.tally().join('\n')).toMatch(/# Previous failure[\s\S]*status 7[\s\S]*because/);
  expect(task.stages[0]).not.toHaveProperty('previousFailure');
});

test('retries are counted over all kinds of failures', () => {
  const site = makeScriptedTasks({
    agents: { fickle: 'echo again >> "$TALLY"; test $(($(wc -l < "$TALLY") % 2)) = 0' },
    stages: [{ name: 'only', agent: 'fickle', retries: 2, checks: ['false'] }],
    workflow: worktree,
  });
  expect(site.run('--trust')).toMatchObject({ status: 'failed', failure: { kind: 'agent-failed' } });
  expect(site.tally()).toHaveLength(3);
});

thoroughTest('files that checks write are committed before the next stages start', () => {
  const site = makeScriptedTasks({
    agents: { writer: 'echo "$CARREL_STAGE" > "$CARREL_STAGE.txt"' },
    stages: [
      { name: 'one', agent: 'writer', checks: ['echo formatted >> one.txt'] },
      { name: 'two', agent: 'writer', dependsOn: ['one'] },
      { name: 'three', agent: 'writer', dependsOn: ['one'] },
    ],
    workflow: worktree,
  });
  const task = site.run('--trust');
  expect(task).toMatchObject({ status: 'succeeded', workspaceKept: false, warnings: [] });
  expect(fileOf(site, task, 'one.txt')).toBe('one\nformatted');
  expect(subjectsOf(site, task)).toContain('one: changes made by its checks');
});

thoroughTest('the branch is what is validated', () => {
  const site = makeScriptedTasks({
    agents: { idle: 'echo done > done.txt' },
    stages: [{ name: 'only', agent: 'idle' }],
    workflow: {
      ...worktree,
      validation: [
        { kind: 'file-exists', path: 'mended.txt' },
        { kind: 'command', run: 'echo changed > README.md' },
      ],
    },
  });
  const red = site.run('--trust');
  expect(red).toMatchObject({ status: 'failed', failure: { kind: 'validation-failed' } });
  git(red.worktreePath as string, 'checkout', '--quiet', 'README.md');
  writeFileSync(join(red.worktreePath as string, 'mended.txt'), 'mended\n');
  const task = site.retry(red.id);
  expect(task).toMatchObject({
    status: 'succeeded',
    head: git(site.repository, 'rev-parse', task.branch as string),
  });
  expect([fileOf(site, task, 'mended.txt'), fileOf(site, task, 'README.md')]).toEqual(['mended', 'hello']);
  expect(task.warnings.join('\n')).toMatch(/validation changed/);
  expect(task.stages[0]?.attempts).toBe(1);
});

thoroughTest('a task that has reached its limits starts no agent, unless a retry raises them', () => {
  const told = JSON.stringify({ usage: { inputTokens: 150 } });
  const site = makeScriptedTasks({
    agents: { costly: `echo run >> "$TALLY"; echo '${told}'; test $(wc -l < "$TALLY") = 2 || sleep 600` },
    result: 'json',
    stages: [{ name: 'only', agent: 'costly' }],
    workflow: worktree,
  });
  const { id, failure } = site.run('--token-limit', '100');
  expect(failure?.hint).toContain(`carrel task retry ${id} --token-limit`);
  expect(site.retry(id)).toMatchObject({
    status: 'failed',
    failure: {
      kind: 'limit',
      message: '150 tokens were used; the limit is 100; no agent was started',
    },
    stages: [{ attempts: 1 }],
  });
  expect(site.retry(id, '--token-limit', '1000')).toMatchObject({
    status: 'succeeded',
    usage: { inputTokens: 300 },
  });
});

thoroughTest('a stage that exceeded its own time limit gets all of the time that a retry allows', () => {
  const site = makeScriptedTasks({
    agents: { slow: 'test -e "$TALLY" || { echo run > "$TALLY"; sleep 600; }' },
    stages: [{ name: 'only', agent: 'slow', timeout: '1s' }],
    workflow: worktree,
  });
  const late = site.run();
  expect(late).toMatchObject({ status: 'failed', stages: [{ status: 'failed' }] });
  expect(late.failure).toMatchObject({
    kind: 'timed-out',
    hint: `allow more time with: carrel task retry ${late.id} --timeout 2s`,
  });
  expect(site.retry(late.id, '--timeout', '5m').status).toBe('succeeded');
});

thoroughTest('on a retry an agent fixes what still fails; files left by validation block nothing', () => {
  needProgram('grep');
  const site = makeScriptedTasks({
    agents: {
      worker:
        'echo done > done.txt; if grep -A9 "Previous failure" | tee -a "$TALLY" | grep -q red; then echo ok > ok.txt; fi',
      reader: 'cat > /dev/null',
    },
    stages: [
      { name: 'work', agent: 'worker' },
      { name: 'look', agent: 'reader' },
    ],
    workflow: {
      ...worktree,
      validation: [{ kind: 'tests', run: 'echo $$ > built-$$.txt; test -e ok.txt || { echo red; exit 1; }' }],
    },
  });
  const red = site.run('--trust', '--land');
  expect(red).toMatchObject({ status: 'failed', failure: { kind: 'validation-failed' }, landed: null });
  const task = site.retry(red.id);
  expect(task).toMatchObject({
    status: 'succeeded',
    stages: [{ attempts: 2 }, { attempts: 1 }],
    landed: { into: 'main', commit: task.head },
    workspaceKept: true,
  });
  expect(site.tally().join('\n')).toMatch(/validation failed[\s\S]*red/);
  expect(git(site.repository, 'show', 'main:ok.txt')).toBe('ok');
  expect(task.warnings.join('\n')).toMatch(/not landed and stay in .*built-\d+\.txt/);
});
