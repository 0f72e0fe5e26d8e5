import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import type { Task } from '../../../src/domain/task/task.js';
import { createCarrel } from '../../helpers/carrel.js';
import { makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

const KEY = 'sk-ant-"api03"-PrintedByAnAgent';
const GIVEN = 'hunter2-is-a-password-9';

/** Prints all that it was given, in every way, and fails. */
const AGENT = `env; printf %s "$ANTHROPIC_API_KEY" | base64 -w0; echo; printf '{"k":"%s"}\\n' "$ANTHROPIC_API_KEY"
printf %.8s "$DATABASE_LOGIN"; sleep 0.05; printf '%s\\n' "\${DATABASE_LOGIN#????????}"
echo "cloning https://me:$DATABASE_LOGIN@host.example/a.git" >&2; exit 3`;

/** All files below, as they are on disk, by name. */
function readAll(directory: string): [string, string][] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => entry.isFile())
    .map(entry => {
      const path = join(entry.parentPath, entry.name);
      return [path, readFileSync(path, 'latin1')];
    });
}

const base64 = Buffer.from(KEY).toString('base64').slice(0, -4);

function findLeaks(files: readonly [string, string][], ...values: string[]): string[] {
  return files.flatMap(([path, text]) =>
    values.filter(value => text.includes(value)).map(value => `${path}: ${value}`),
  );
}

const ENVIRONMENT = { ANTHROPIC_API_KEY: KEY, DATABASE_LOGIN: GIVEN };

test('what an agent prints of its keys is in no log, event or record of a task', () => {
  const carrel = createCarrel(tempDir(), ENVIRONMENT);
  const agents = { leaky: { command: AGENT, passEnvironment: ['DATABASE_LOGIN'] } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify({ agents }) });
  const repository = makeRepository();
  const words = ['--workflow', 'quick', '--agent', 'leaky', '--isolation', 'worktree'];
  const run = carrel.run(repository, 'run', 'leak', ...words);
  const [task] = carrel.json<Task[]>(repository, 'task', 'ls', '--all');
  const log = carrel.ok(repository, 'task', 'logs', task?.id ?? '');
  expect(log).toContain('ANTHROPIC_API_KEY=[redacted]');
  expect(log).toContain('{"k":"[redacted]"}');
  expect(log).toContain('https://me:[redacted]@host.example/a.git');
  expect(task?.failure?.message).toBeDefined();
  const printed: [string, string][] = [['the terminal', run.stdout + run.stderr]];
  expect(
    findLeaks([...readAll(carrel.stateDir), ...printed], KEY, 'PrintedByAnAgent', base64, GIVEN),
  ).toEqual([]);
});

test('what an agent prints of its keys is in no log, record or report of a batch', () => {
  const carrel = createCarrel(tempDir(), ENVIRONMENT);
  const agents = { leaky: { command: AGENT, passEnvironment: ['DATABASE_LOGIN'] } };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify({ agents }) });
  const here = tempDir();
  const item = {
    id: 'task-1',
    description: 'Write "yes" to done.txt',
    base: { kind: 'files', files: { 'README.md': 'hello\n' } },
    graders: [{ kind: 'command', run: 'env; test "$(cat done.txt)" = yes' }],
  };
  writeFiles(here, { 'set.yaml': stringify({ name: 'small', items: [item] }) });
  const args = ['--dataset', join(here, 'set.yaml'), '--agent', 'leaky', '--isolation', 'worktree'];
  const run = carrel.json<BatchRun>(here, 'eval', 'run', ...args);
  expect(run.attempts[0]?.message).toContain('[redacted]');
  const files = readAll(run.directory);
  expect(files.map(([path]) => path.split('/').at(-1))).toEqual(
    expect.arrayContaining(['agent.log', 'index.jsonl', 'report.html']),
  );
  const told: [string, string][] = [['--json', JSON.stringify(run)]];
  expect(
    findLeaks([...files, ...readAll(carrel.stateDir), ...told], 'PrintedByAnAgent', base64, GIVEN),
  ).toEqual([]);
});
