import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BatchRun } from '../../../src/domain/batch/batch-run.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';
import { needProgram } from '../../parts/required-part.js';

// Datasets in published formats: their own solutions pass, and doing nothing does not.

function runBoth(dataset: string): { readonly oracle: BatchRun; readonly nop: BatchRun } {
  const carrel = createTidyCarrel();
  const run = (agent: string) =>
    carrel.json<BatchRun>(tempDir(), 'eval', 'run', '--dataset', dataset, '--agent', agent);
  return { oracle: run('oracle'), nop: run('nop') };
}

const tell = ({ attempts, skipped }: BatchRun) => ({
  outcomes: Object.fromEntries(attempts.map(({ taskId, outcome }) => [taskId, outcome])),
  skipped,
});

const testOf = (name: string, condition: string) =>
  `test('${name}', () => { if (!(${condition})) throw new Error('wrong'); });\n`;
const IMPORTS = "import test from 'node:test';\nimport { add } from '../add.mjs';\n";

/** A row as in public datasets, made from the history of a repository, and the path of that repository. */
function makeRow(repository: string) {
  const base = git(repository, 'rev-parse', 'HEAD');
  const tests = `${IMPORTS}${testOf('adds', 'add(1, 2) === 3')}${testOf('keeps zero', 'add(0, 0) === 0')}`;
  commitFiles(repository, {
    'add.mjs': 'export const add = (a, b) => a + b;\n',
    'test/add.test.mjs': tests,
  });
  const diff = (path: string) => git(repository, 'diff', base, 'HEAD', '--', path);
  return {
    instance_id: 'acme__sums-1',
    repo: 'acme/sums',
    base_commit: base,
    problem_statement: 'add(1, 2) is -1.',
    hints_text: 'Look at the sign.',
    created_at: '2024-01-01T00:00:00Z',
    version: '1.0',
    patch: diff('add.mjs'),
    test_patch: diff('test'),
    FAIL_TO_PASS: JSON.stringify(['adds']),
    PASS_TO_PASS: ['keeps zero'],
    repo_path: repository,
    test_cmd: 'node --test --test-reporter=tap test/add.test.mjs',
  };
}

thoroughTest('runs SWE-bench rows, and reports those that cannot run', () => {
  const repository = makeRepository({
    'add.mjs': 'export const add = (a, b) => a - b;\n',
    'test/add.test.mjs': `${IMPORTS}${testOf('keeps zero', 'add(0, 0) === 0')}`,
  });
  const { problem_statement: _, ...incomplete } = makeRow(repository);
  git(repository, 'reset', '--quiet', '--hard', 'HEAD~1');
  const rows = [makeRow(repository), { ...incomplete, instance_id: 'acme__sums-2' }];
  const file = join(tempDir(), 'rows.jsonl');
  writeFiles(join(file, '..'), { 'rows.jsonl': rows.map(row => `${JSON.stringify(row)}\n`).join('') });
  const { oracle, nop } = runBoth(file);
  const skipped = [{ id: 'acme__sums-2', reason: expect.stringContaining('problem_statement') }];
  expect(tell(oracle)).toEqual({ outcomes: { 'acme__sums-1': 'passed' }, skipped });
  expect(tell(nop)).toEqual({ outcomes: { 'acme__sums-1': 'failed' }, skipped });
  expect(nop.attempts[0]?.graders[0]?.detail).toContain('1 of 2 tests passed');
});

const HARBOR_TASK = {
  'task.toml': `
version = "1.0"

[metadata]
author_name = "Somebody"
difficulty = "easy"
tags = ["files"]

[verifier]
timeout_sec = 120.0

[agent]
timeout_sec = 120.0

[environment]
build_timeout_sec = 600.0
cpus = 1
memory = "2G"
`,
  'instruction.md': 'Write the words of /app/words.txt to /app/sorted.txt, sorted.\n',
  'environment/Dockerfile': 'FROM ubuntu:24.04\n\nWORKDIR /app\nCOPY words.txt /app/words.txt\n',
  'environment/words.txt': 'pear\napple\n',
  'solution/solve.sh': '#!/bin/bash\nset -e\nsort /app/words.txt > /app/sorted.txt\n',
  'tests/test.sh': `#!/bin/bash
mkdir -p /logs/verifier
if cmp /tests/expected.txt /app/sorted.txt; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
`,
  'tests/expected.txt': 'apple\npear\n',
};

test('runs Harbor task directories, and reports those that cannot run', () => {
  needProgram('bash');
  const directory = tempDir();
  writeFiles(join(directory, 'sort-words'), HARBOR_TASK);
  writeFiles(join(directory, 'needs-more'), {
    ...HARBOR_TASK,
    'environment/Dockerfile':
      'FROM ubuntu:24.04\nWORKDIR /app\nRUN apt-get update && apt-get install -y jq\n',
  });
  const { oracle, nop } = runBoth(directory);
  const skipped = [{ id: 'needs-more', reason: expect.stringContaining('docker_image') }];
  expect(tell(oracle)).toEqual({ outcomes: { 'sort-words': 'passed' }, skipped });
  expect(tell(nop)).toEqual({ outcomes: { 'sort-words': 'failed' }, skipped });
});
