import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../../src/domain/task/task.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');

/** A copy of the example repository. */
function copyExample(): string {
  const repository = makeRepository({ 'README.md': 'hello\n' });
  cpSync(join(EXAMPLES, 'shell-agent'), repository, { recursive: true });
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message', 'A repository with an agent');
  return repository;
}

thoroughTest('the example repository runs as its page says', () => {
  const repository = copyExample();
  const carrel = createTidyCarrel();
  const args = ['run', 'Say hello in greeting.txt', '--workflow', 'greet'];
  expect(carrel.error(repository, ...args)).toMatchObject({ status: 3, code: 'TASK_COMMANDS_NOT_TRUSTED' });
  carrel.ok(repository, 'trust', '--yes');
  const task = carrel.json<Task>(repository, ...args);
  expect(task).toMatchObject({ status: 'succeeded', validation: [{ kind: 'file-contains', passed: true }] });
  expect(git(repository, 'show', `${task.branch}:greeting.txt`)).toBe('hello');
  carrel.ok(repository, 'land', task.id);
  expect(git(repository, 'show', 'main:greeting.txt')).toBe('hello');
  expect(git(repository, 'branch', '--format=%(refname:short)')).toBe('main');
});

thoroughTest('the library example runs, and prints its progress', () => {
  const stdout = runExample('library.mjs', copyExample());
  expect(stdout).toContain('  I wrote hello.');
  expect(stdout).toMatch(/task\.succeeded[\s\S]*succeeded on carrel\/say-hello-in-greetingtxt-\w+ \[/);
});

thoroughTest('the batch example runs an agent function, and grades its work', () => {
  const stdout = runExample('batch.mjs');
  expect(stdout.split('\n').slice(0, 2).sort()).toEqual(['fix-import-001 failed', 'fix-typo-001 passed']);
  expect(stdout).toContain('passed 50% { passed: 1, failed: 1, errors: 0, cancelled: 0 } see /');
});

test('the harness of the guide runs as it is printed, and leaves nothing behind', () => {
  const guide = readFileSync(resolve(EXAMPLES, '../docs/guides/harness.md'), 'utf8');
  const [, program] = /```js\n(.*?)```/s.exec(guide) ?? [];
  expect(program).toBe(readFileSync(join(EXAMPLES, 'harness.mjs'), 'utf8'));
  const [, printed] = /```text\n(.*?)```/s.exec(guide) ?? [];
  const repository = makeRepository({ 'README.md': 'hello\n' });
  expect(runExample('harness.mjs', repository)).toBe(printed);
  expect(git(repository, 'status', '--porcelain')).toBe('');
  expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
});

function runExample(name: string, ...args: string[]): string {
  const { env } = createTidyCarrel();
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(EXAMPLES, name), ...args], {
    cwd: tempDir(),
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}
