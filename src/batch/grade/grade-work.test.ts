import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BASE, COMMAND, gradeChanges, RIGHT } from '../../../test/helpers/batch/grade-changes.js';
import { patchOf, plainEnvironment } from '../../../test/helpers/batch/plain-environment.js';
import { isRunning } from '../../../test/helpers/machine/processes.js';
import { needProgram } from '../../../test/parts/required-part.js';
import type { Grader } from '../../domain/batch/eval-item.js';
import { gradeWork } from './grade-work.js';

test('the changes are graded in a copy that has them and the hidden files', async () => {
  const hidden = { 'check.sh': '#!/bin/sh\ntest "$(cat answer.txt)" = right\n' };
  const graders: Grader[] = [{ kind: 'command', run: './check.sh', name: 'check' }];
  const passed = await gradeChanges({ changes: RIGHT, graders, item: { hidden } });
  expect(passed).toMatchObject({ score: 1, passed: true, findings: [] });
  expect(passed.lines).toEqual(['activity: $ ./check.sh']);
  const failed = await gradeChanges({ graders, item: { hidden } });
  expect(failed).toMatchObject({ score: 0, passed: false });
  expect(failed.grades).toMatchObject([{ name: 'check', error: null, detail: 'It exited with status 1.' }]);
});

test('the score is weighted, and all graders must pass', async () => {
  const graded = await gradeChanges({
    changes: RIGHT,
    graders: [
      { ...COMMAND, weight: 3 },
      { kind: 'command', run: 'false' },
    ],
  });
  expect(graded).toMatchObject({ score: 0.75, passed: false });
});

test('files that both setup and the changes create do not conflict', async () => {
  const graded = await gradeChanges({
    base: { ...BASE, version: '1\n' },
    changes: { 'made/by-setup.txt': 'changed by the agent\n', version: 'agent\n', 'answer.txt': null },
    graders: [
      {
        kind: 'command',
        run: 'test "$(cat made/by-setup.txt)" = "changed by the agent" && test "$(cat version)" = agent && ! ls answer.txt',
      },
    ],
    item: { setup: ['mkdir made && echo generated > made/by-setup.txt', 'echo 2 > version'] },
  });
  expect(graded).toMatchObject({ passed: true });
});

test('the hidden patch is applied over the base version of its files', async () => {
  const base = { ...BASE, 'test.sh': 'exit 1\n' };
  const hiddenPatch = (await patchOf(base, { 'test.sh': 'test "$(cat answer.txt)" = right\n' })).toString();
  const graded = await gradeChanges({
    base,
    changes: { ...RIGHT, 'test.sh': 'exit 0\n' },
    graders: [{ kind: 'command', run: 'sh test.sh && case "$(cat test.sh)" in *"exit 0"*) false ;; esac' }],
    item: { hiddenPatch },
  });
  expect(graded.passed).toBe(true);
  expect(graded.findings).toEqual(["changed test.sh, which is graded with the grader's own version"]);
});

test("a hidden patch that does not apply is the item's fault, changes that do not apply are an infrastructure failure", async () => {
  const foreign = (await patchOf({ other: '1\n' }, { other: '2\n' })).toString();
  const hidden = await gradeChanges({ graders: [COMMAND], item: { hiddenPatch: foreign } });
  expect(hidden.infrastructure).toBeUndefined();
  expect(hidden.grades[0]?.error).toMatch(/^cannot apply the hidden patch: git failed with 1/);
  const environment = plainEnvironment(BASE);
  const graded = await gradeWork({
    item: { id: 'task', description: 'x', base: { kind: 'files', files: BASE }, graders: [COMMAND] },
    environment,
    patch: Buffer.from(foreign),
    signal: new AbortController().signal,
  });
  expect(graded.infrastructure).toMatch(/^cannot apply the agent's changes: git failed with 1/);
});

test('a setup command that fails says nothing about the agent', async () => {
  const graded = await gradeChanges({ changes: RIGHT, graders: [COMMAND], item: { setup: ['exit 3'] } });
  expect(graded).toMatchObject({ grades: [], passed: false });
  expect(graded.infrastructure).toMatch(/exit status 3/);
});

test('kills the leftover processes of a grader before the next one', async () => {
  needProgram('setsid');
  const seen: boolean[] = [];
  await gradeChanges({
    graders: [
      { kind: 'command', run: 'setsid sh -c "while :; do sleep 1; done" > /dev/null 2>&1 & echo $! > pid' },
      { kind: 'command', run: 'true' },
    ],
    onLine: (text, directory) => {
      if (text === '$ true') seen.push(isRunning(Number(readFileSync(join(directory, 'pid'), 'utf8'))));
    },
  });
  expect(seen).toEqual([false]);
});

test('a cancelled grading gives no result', async () => {
  const stop = new AbortController();
  const graded = await gradeChanges({
    graders: [{ kind: 'command', run: 'exec sleep 60' }, COMMAND],
    signal: stop.signal,
    onLine: () => stop.abort(),
  });
  expect(graded).toMatchObject({ grades: [], passed: false, infrastructure: 'grading was cancelled' });
});
