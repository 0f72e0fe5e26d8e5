import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BASE, COMMAND, gradeChanges, RIGHT } from '../../test/helpers/grade-changes.js';
import { patchOf, plainEnvironment } from '../../test/helpers/plain-environment.js';
import { isRunning } from '../../test/helpers/processes.js';
import type { Grader } from '../domain/eval-item.js';
import { gradeWork } from './grade-work.js';

test('the changes are graded in a copy that has them and the hidden files', async () => {
  const hidden = { 'check.sh': '#!/bin/sh\ngrep -qx right answer.txt\n' };
  const graders: Grader[] = [{ kind: 'command', run: './check.sh', name: 'check' }];
  const passed = await gradeChanges({ changes: RIGHT, graders, item: { hidden } });
  expect(passed).toMatchObject({ score: 1, passed: true, findings: [] });
  expect(passed.lines).toEqual(['activity: $ ./check.sh']);
  const failed = await gradeChanges({ graders, item: { hidden } });
  expect(failed).toMatchObject({ score: 0, passed: false });
  expect(failed.grades).toMatchObject([
    { name: 'check', error: null, detail: 'It ended with exit status 1.' },
  ]);
});

test('weights make the score, and all graders must pass', async () => {
  const graded = await gradeChanges({
    changes: RIGHT,
    graders: [
      { ...COMMAND, weight: 3 },
      { kind: 'command', run: 'false' },
    ],
  });
  expect(graded).toMatchObject({ score: 0.75, passed: false });
});

test('what setup made and the changes hold as well is no conflict', async () => {
  const graded = await gradeChanges({
    base: { ...BASE, version: '1\n' },
    changes: { 'made/by-setup.txt': 'changed by the agent\n', version: 'agent\n', 'answer.txt': null },
    graders: [
      { kind: 'command', run: 'grep -q agent made/by-setup.txt && grep -q agent version && ! ls answer.txt' },
    ],
    item: { setup: ['mkdir made && echo generated > made/by-setup.txt', 'echo 2 > version'] },
  });
  expect(graded).toMatchObject({ passed: true });
});

test('the hidden patch is applied over the base version of its files', async () => {
  const base = { ...BASE, 'test.sh': 'exit 1\n' };
  const hiddenPatch = (await patchOf(base, { 'test.sh': 'grep -qx right answer.txt\n' })).toString();
  const graded = await gradeChanges({
    base,
    changes: { ...RIGHT, 'test.sh': 'exit 0\n' },
    graders: [{ kind: 'command', run: 'sh test.sh && ! grep -q "exit 0" test.sh' }],
    item: { hiddenPatch },
  });
  expect(graded.passed).toBe(true);
  expect(graded.findings).toEqual(['changed test.sh, which is graded with our own version']);
});

test("a hidden patch that does not fit is the item's fault, changes that do not fit are the machine's", async () => {
  const foreign = (await patchOf({ other: '1\n' }, { other: '2\n' })).toString();
  const hidden = await gradeChanges({ graders: [COMMAND], item: { hiddenPatch: foreign } });
  expect(hidden.infrastructure).toBeUndefined();
  expect(hidden.grades[0]?.error).toMatch(/^the hidden patch can't be applied: git ended with 1/);
  const environment = plainEnvironment(BASE);
  const graded = await gradeWork({
    item: { id: 'task', description: 'x', base: { kind: 'files', files: BASE }, graders: [COMMAND] },
    environment,
    patch: Buffer.from(foreign),
    signal: new AbortController().signal,
  });
  expect(graded.infrastructure).toMatch(/^the agent's changes could not be applied: git ended with 1/);
});

test('a setup command that fails says nothing about the agent', async () => {
  const graded = await gradeChanges({ changes: RIGHT, graders: [COMMAND], item: { setup: ['exit 3'] } });
  expect(graded).toMatchObject({ grades: [], passed: false });
  expect(graded.infrastructure).toMatch(/exit status 3/);
});

test('whatever a grader leaves running is dead before the next one', async () => {
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

test('a cancelled grading is no result', async () => {
  const stop = new AbortController();
  const graded = await gradeChanges({
    graders: [{ kind: 'command', run: 'exec sleep 60' }, COMMAND],
    signal: stop.signal,
    onLine: () => stop.abort(),
  });
  expect(graded).toMatchObject({ grades: [], passed: false, infrastructure: 'grading was cancelled' });
});
