import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Changes, patchOf, plainEnvironment } from '../../test/helpers/plain-environment.js';
import { isRunning } from '../../test/helpers/processes.js';
import { tempDir } from '../../test/helpers/temp.js';
import type { EvalItem, Grader } from '../domain/eval-item.js';
import { type GradedWork, gradeWork } from './grade-work.js';

interface Work {
  readonly base?: Record<string, string>;
  readonly changes?: Changes;
  readonly graders: readonly Grader[];
  readonly item?: Partial<EvalItem>;
  readonly withReset?: boolean;
  readonly signal?: AbortSignal;
  readonly onLine?: (text: string, directory: string) => void;
}

const BASE = { 'answer.txt': 'wrong\n' };

async function grade({ base = BASE, changes = {}, graders, item, withReset = true, signal, onLine }: Work) {
  const environment = plainEnvironment(base);
  const patch = Object.keys(changes).length === 0 ? Buffer.alloc(0) : await patchOf(environment, changes);
  const lines: string[] = [];
  const graded = await gradeWork({
    item: {
      id: 'task',
      description: 'Do it.',
      base: { kind: 'files', files: base },
      graders: [...graders],
      ...item,
    },
    environment,
    patch,
    signal: signal ?? new AbortController().signal,
    onLine: (stream, text) => {
      lines.push(`${stream}: ${text}`);
      onLine?.(text, environment.workingDirectory);
    },
    reset: withReset ? environment.reset : undefined,
  });
  return { ...graded, lines, environment };
}

const brief = ({ grades }: GradedWork): string[] =>
  grades.map(({ passed, score, error }) => (error === null ? `${passed} ${score}` : `error: ${error}`));

const RIGHT: Changes = { 'answer.txt': 'right\n' };
const COMMAND: Grader = { kind: 'command', run: 'grep -x right answer.txt' };

test('the changes are graded in a copy that has them and the hidden files', async () => {
  const hidden = { 'check.sh': '#!/bin/sh\ngrep -qx right answer.txt\n' };
  const graders: Grader[] = [{ kind: 'command', run: './check.sh', name: 'check' }];
  const passed = await grade({ changes: RIGHT, graders, item: { hidden } });
  expect(passed).toMatchObject({ score: 1, passed: true, findings: [] });
  expect(passed.lines).toEqual(['activity: $ ./check.sh']);
  const failed = await grade({ graders, item: { hidden } });
  expect(failed).toMatchObject({ score: 0, passed: false });
  expect(failed.grades).toMatchObject([
    { name: 'check', error: null, detail: 'It ended with exit status 1.' },
  ]);
});

test('weights make the score, and all graders must pass', async () => {
  const graded = await grade({
    changes: RIGHT,
    graders: [
      { ...COMMAND, weight: 3 },
      { kind: 'command', run: 'false' },
    ],
  });
  expect(graded).toMatchObject({ score: 0.75, passed: false });
});

test('what setup made and the changes hold as well is no conflict', async () => {
  const graded = await grade({
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
  const graded = await grade({
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
  const hidden = await grade({ graders: [COMMAND], item: { hiddenPatch: foreign } });
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
  const graded = await grade({ changes: RIGHT, graders: [COMMAND], item: { setup: ['exit 3'] } });
  expect(graded).toMatchObject({ grades: [], passed: false });
  expect(graded.infrastructure).toMatch(/exit status 3/);
});

test('whatever a grader leaves running is dead before the next one', async () => {
  const seen: boolean[] = [];
  await grade({
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
  const graded = await grade({
    graders: [{ kind: 'command', run: 'exec sleep 60' }, COMMAND],
    signal: stop.signal,
    onLine: () => stop.abort(),
  });
  expect(graded).toMatchObject({ grades: [], passed: false, infrastructure: 'grading was cancelled' });
});

test('a program that is missing is an error of the grader, and of nobody else', async () => {
  const graders: Grader[] = [{ kind: 'command', run: 'no-such-program' }, COMMAND];
  const graded = await grade({ changes: RIGHT, graders });
  expect(brief(graded)).toEqual(['error: it ended with exit status 127', 'true 1']);
  expect(graded.passed).toBe(false);
});

test('changes that keep a grader from judging count as failed, because it can judge without them', async () => {
  const base = { ...BASE, 'run.sh': 'grep -qx right answer.txt\n', 'loop.sh': 'exit 1\n' };
  const missing: Grader = { kind: 'command', run: 'exec sh run.sh' };
  const hanging: Grader = { kind: 'command', run: 'exec sh loop.sh', timeout: '2s' };
  const changes = { 'run.sh': 'exit 127\n', 'loop.sh': 'while :; do sleep 1; done\n' };
  const graded = await grade({ base, changes, graders: [missing, hanging] });
  expect(brief(graded)).toEqual(['false 0', 'false 0']);
  expect(graded.grades.map(({ detail }) => detail)).toEqual([
    'The grader could not judge the changes (it ended with exit status 127); without them it can.',
    'The grader could not judge the changes (it did not end within 2s); without them it can.',
  ]);
  const unknown = await grade({ base, changes, graders: [missing], withReset: false });
  expect(brief(unknown)).toEqual(['error: it ended with exit status 127']);
});

test('a grader that hangs by itself is an error', async () => {
  const graders: Grader[] = [{ kind: 'command', run: 'exec sleep 60', timeout: '500ms' }];
  const graded = await grade({ changes: RIGHT, graders });
  expect(brief(graded)).toEqual(['error: it did not end within 500ms']);
});

const print = (text: string) =>
  `printf '%s\\n' ${text
    .split('\n')
    .map(line => `'${line}'`)
    .join(' ')}`;
const tests = (run: string, extra: object = {}): Grader => ({ kind: 'tests', run, ...extra });
const TWO_OF_THREE = print('1..3\nok 1 - a\nok 2 - b\nnot ok 3 - c');

test('tests that are named must pass, tests that are not are left alone', async () => {
  const graded = await grade({
    graders: [
      tests(`${TWO_OF_THREE}; exit 1`, { failToPass: ['a'], passToPass: ['b'] }),
      tests(`${TWO_OF_THREE}; exit 1`, { failToPass: ['a', 'c'], passToPass: ['b'], partial: true }),
      tests(`${TWO_OF_THREE}; exit 1`, { failToPass: ['a'], passToPass: ['gone'], partial: true }),
      tests(`${TWO_OF_THREE}; exit 1`, { partial: true }),
      tests(`${TWO_OF_THREE}; exit 1`),
      tests(print('1..2\nok 1 - a\nok 2 - b # SKIP')),
      tests(print('1..1\nok 1 - b # SKIP')),
    ],
  });
  expect(brief(graded)).toEqual([
    'true 1',
    'false 0.5',
    'false 0',
    `false ${2 / 3}`,
    'false 0',
    'true 1',
    'false 0',
  ]);
  expect(graded.grades[2]?.detail).toBe('1 of 2 tests passed.\ngone: was not run');
});

test('tests that nobody can read are an error, and tests that did not keep to their plan are not believed', async () => {
  const graded = await grade({
    graders: [
      tests('echo hello', { failToPass: ['a'] }),
      tests(print('1..2\nok 1 - a'), { failToPass: ['a'] }),
    ],
  });
  expect(brief(graded)).toEqual(['error: no tests were recognised', 'false 0']);
  expect(graded.findings).toEqual(['test results are not believed: 2 tests were planned and 1 reported']);
});

test('printing results is without effect when the exit status or the runner says otherwise', async () => {
  const graded = await grade({
    graders: [
      tests(`${print('1..1\nok 1 - a')}; exit 1`, { failToPass: ['a'] }),
      tests(`${print('1..2\nok 1 - a\nnot ok 2 - a')}; exit 1`, { failToPass: ['a'] }),
    ],
  });
  expect(brief(graded)).toEqual(['false 0', 'false 0']);
  expect(graded.findings).toEqual([
    'test results are not believed: no test is reported as failed, but the command ended with exit status 1',
    'a is reported as passed and as failed; it counts as failed',
  ]);
});

const NODE_BASE = { 'sum.mjs': 'export const sum = (a, b) => a - b;\n' };
const NODE_ITEM = {
  hidden: {
    'sum.test.mjs':
      "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from './sum.mjs';\ntest('sums', () => assert.equal(sum(1, 2), 3));\n",
  },
};
const NODE_RUN = 'node --test --test-reporter=junit --test-reporter-destination=report.xml sum.test.mjs';
const nodeTests = (run: string): Grader => tests(run, { report: 'report.xml', failToPass: ['sums'] });

test('a report of the real runner is read, and neither printed nor planted results are', async () => {
  const cheat = `export const sum = () => 4;
console.log('TAP version 13\\n1..1\\nok 1 - sums');
console.log('<testsuites><testcase name="sums"/></testsuites>');
`;
  const planted = '<testsuites><testcase name="sums"/></testsuites>\n';
  const right = { 'sum.mjs': 'export const sum = (a, b) => a + b;\n' };
  const work = { base: NODE_BASE, graders: [nodeTests(NODE_RUN)], item: NODE_ITEM };
  expect(brief(await grade({ ...work, changes: right }))).toEqual(['true 1']);
  expect(brief(await grade({ ...work }))).toEqual(['false 0']);
  const cheated = await grade({
    ...work,
    changes: { 'sum.mjs': cheat, 'report.xml': planted, 'sum.test.mjs': '' },
  });
  expect(brief(cheated)).toEqual(['false 0']);
  expect(cheated.findings).toEqual([
    'added report.xml, where a grader writes its result',
    'added sum.test.mjs, which is graded with our own version',
  ]);
});

test('a report that was not written because of the changes counts as failed', async () => {
  const changes = { 'sum.mjs': 'export const sum = (a, b) => a + b;\n', 'stop.txt': 'stop\n' };
  const graded = await grade({
    base: NODE_BASE,
    item: NODE_ITEM,
    changes,
    graders: [nodeTests(`test -e stop.txt && exit 0; ${NODE_RUN}`)],
  });
  expect(brief(graded)).toEqual(['false 0']);
  expect(graded.grades[0]?.detail).toMatch(/report\.xml was not written/);
});

test('deleting and changing tests, and linking their directory away, are without effect', async () => {
  const base = { ...BASE, 'tests/check.sh': 'grep -qx right answer.txt\n' };
  const item = { protect: ['tests'] };
  const graders: Grader[] = [{ kind: 'command', run: 'sh tests/check.sh' }];
  const elsewhere = tempDir();
  const cheats: Changes[] = [
    { 'tests/check.sh': null },
    { 'tests/check.sh': 'exit 0\n' },
    { tests: { link: elsewhere } },
    { tests: 'a file\n' },
  ];
  for (const changes of cheats) {
    const graded = await grade({ base, item, graders, changes });
    expect(brief(graded)).toEqual(['false 0']);
    expect(graded.findings.join()).toContain('which is protected');
  }
});

test('a reward is what the command writes, never what was there', async () => {
  const reward = (run: string, file = 'out/reward.txt'): Grader => ({ kind: 'reward', run, file });
  const graded = await grade({
    changes: { 'out/reward.txt': '1\n', 'reward.json': '{"reward": 1}\n' },
    graders: [
      reward('mkdir -p out; echo 0.5 > out/reward.txt'),
      reward('echo \'{"reward": 7}\' > reward.json; exit 1', 'reward.json'),
      reward('echo \'{"speed": 1, "size": 0}\' > reward.json', 'reward.json'),
      reward('true', 'reward.json'),
      reward('echo many > reward.json', 'reward.json'),
    ],
  });
  expect(brief(graded)).toEqual([
    'false 0.5',
    'true 1',
    'false 0.5',
    'error: reward.json was not written',
    'error: reward.json holds no number',
  ]);
  expect(graded.findings).toHaveLength(2);
});

test('a reward outside of the working tree is cleared before and read after', async () => {
  const file = join(tempDir(), 'verifier', "it's", 'reward.txt');
  const write: Grader = { kind: 'reward', run: `cd /; echo 1 > "${file}"; exit 0`, file };
  const graded = await grade({ graders: [write, { kind: 'reward', run: 'true', file }] });
  expect(brief(graded)).toEqual(['true 1', `error: ${file} was not written`]);
});

test('files and patterns, all of them or a part', async () => {
  const expect_ = [
    { kind: 'file-exists', path: 'answer.txt' },
    { kind: 'file-contains', path: 'answer.txt', pattern: '^r.ght$' },
    { kind: 'file-not-contains', path: 'gone.txt', text: 'TODO' },
    { kind: 'file-contains', path: 'answer.txt', text: 'wrong' },
    { kind: 'command', run: 'test -s answer.txt' },
  ] as const;
  const graders: Grader[] = [
    { kind: 'files', expect: [...expect_], partial: true },
    { kind: 'files', expect: [...expect_] },
    { kind: 'files', expect: [expect_[0], expect_[1], expect_[4]] },
  ];
  const graded = await grade({ changes: RIGHT, graders });
  expect(brief(graded)).toEqual(['false 0.6', 'false 0', 'true 1']);
  expect(graded.grades[0]?.detail).toBe(
    'gone.txt does not contain "TODO": there is no such file of at most 16 MB\nanswer.txt contains "wrong": it is not in the file',
  );
});

test('likeness to a reference counts changed lines', async () => {
  const base = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' };
  const reference = (await patchOf(base, { 'a.txt': 'one\nTWO\n' })).toString();
  const diff = (threshold?: number): Grader => ({ kind: 'diff', reference, threshold });
  const same = await grade({ base, changes: { 'a.txt': 'one\n  TWO\n' }, graders: [diff()] });
  const more = await grade({
    base,
    changes: { 'a.txt': 'one\nTWO\n', 'b.txt': 'B\n' },
    graders: [diff(), diff(0.6)],
  });
  const none = await grade({ base, graders: [diff()] });
  expect([same, more, none].flatMap(brief)).toEqual(['true 1', `false ${4 / 6}`, `true ${4 / 6}`, 'false 0']);
});
