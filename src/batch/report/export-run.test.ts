import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleAttempt, sampleRun, writeAttemptFiles } from '../../../test/helpers/batch/sample-run.js';
import { allElements, readMarkup } from '../../../test/helpers/server/read-markup.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { OUTCOMES } from '../../domain/batch/attempt.js';
import type { BatchRun } from '../../domain/batch/batch-run.js';
import { type ExportFormat, exportRun } from './export-run.js';

test('JUnit XML has a case for every attempt, by outcome, and for tasks that did not run', async () => {
  const attempts = OUTCOMES.map(outcome => sampleAttempt({ taskId: `is-${outcome}`, outcome }));
  const taskIds = [...attempts.map(({ taskId }) => taskId), 'left-undone'];
  const skipped = [{ id: 'no-base', reason: 'the commit is gone' }];
  const { text } = await exported(sampleRun({ attempts, taskIds, skipped }), 'junit');
  const [suites] = readMarkup(text).children;
  const counts = { tests: '10', failures: '4', errors: '2', skipped: '3' };
  expect(suites?.attributes).toMatchObject(counts);
  expect(suites?.children).toMatchObject([{ name: 'testsuite', attributes: { name: 'golden', ...counts } }]);
  const cases = suites?.children[0]?.children.filter(({ name }) => name === 'testcase') ?? [];
  expect(cases.map(({ attributes, children }) => `${attributes.name}: ${children[0]?.name}`)).toEqual([
    'is-passed: system-out',
    'is-failed: failure',
    'is-agent-error: failure',
    'is-agent-timeout: failure',
    'is-limit: failure',
    'is-grader-error: error',
    'is-infrastructure: error',
    'is-cancelled: skipped',
    'left-undone: skipped',
    'no-base: skipped',
  ]);
  expect(cases[1]?.children.at(-1)?.text).toContain('patch: attempts/is-failed/1/patch.diff');
});

test("JUnit XML keeps the agent's text and drops what XML cannot represent", async () => {
  const message =
    'a\u0000b\u001b[31mred\u001b[0m \ud800 \uffff </failure><testcase name="fake"/> ]]> & "quoted"\nend 🙂';
  const { text } = await exported(
    sampleRun({ attempts: [sampleAttempt({ outcome: 'failed', message, findings: ['<b>'] })] }),
    'junit',
  );
  const elements = allElements(readMarkup(text));
  expect(elements.filter(({ name }) => name === 'testcase')).toHaveLength(1);
  expect(elements.find(({ name }) => name === 'failure')?.attributes.message).toBe(
    'abred   </failure><testcase name="fake"/> ]]> & "quoted"\nend 🙂',
  );
});

test('CSV quotes where needed and never writes a formula', async () => {
  const attempts = [
    sampleAttempt({ taskId: 'b', message: '=HYPERLINK("http://evil.example","x")' }),
    sampleAttempt({ taskId: 'a', message: 'one, "two"\nthree', findings: ['-1+1', 'fine'], costUsd: null }),
    sampleAttempt({ taskId: 'c', message: ' \t@SUM(1)', costUsd: 0 }),
  ];
  const { text } = await exported(sampleRun({ attempts, taskIds: ['a', 'b', 'c'] }), 'csv');
  const [header, ...records] = readCsv(text);
  const column = (name: string) => records.map(record => record[header?.indexOf(name) ?? -1]);
  expect(column('task')).toEqual(['a', 'b', 'c']);
  expect(column('message')).toEqual([
    'one, "two"\nthree',
    `'=HYPERLINK("http://evil.example","x")`,
    "' \t@SUM(1)",
  ]);
  expect(column('findings')).toEqual(["'-1+1; fine", '', '']);
  expect(column('cost_usd')).toEqual(['', '0.04', '0']);
  expect(text.endsWith('\r\n')).toBe(true);
});

test('predictions hold the patch of each first attempt, byte for byte', async () => {
  const directory = tempDir();
  const first = sampleAttempt({ taskId: 'org__repo-1' });
  const empty = sampleAttempt({ taskId: 'org__repo-2', outcome: 'failed', patchPath: null });
  const attempts = [first, { ...first, attempt: 2 }, empty];
  writeAttemptFiles(directory, first, 'diff --git a/ü b/ü\r\n+x\n');
  const { text, warnings } = await exported(sampleRun({ directory, attempts, model: 'opus' }), 'predictions');
  expect(linesOf(text)).toEqual([
    {
      instance_id: 'org__repo-1',
      model_name_or_path: 'claude/opus',
      model_patch: 'diff --git a/ü b/ü\r\n+x\n',
    },
    { instance_id: 'org__repo-2', model_name_or_path: 'claude/opus', model_patch: '' },
  ]);
  expect(warnings).toEqual(['1 further attempt left out: predictions have one attempt per task']);
});

test('predictions leave out and report what is not a patch of this run', async () => {
  const directory = join(tempDir(), 'run');
  const outside = join(directory, '..', 'secret');
  const latin = sampleAttempt({ taskId: 'latin' });
  const attempts = [
    sampleAttempt({ taskId: 'outside', patchPath: '../secret' }),
    sampleAttempt({ taskId: 'absolute', patchPath: outside }),
    sampleAttempt({ taskId: 'link', patchPath: 'link' }),
    sampleAttempt({ taskId: 'way', patchPath: 'way/secret' }),
    sampleAttempt({ taskId: 'gone' }),
    sampleAttempt({ taskId: 'unjudged', outcome: 'infrastructure', patchPath: null }),
    latin,
  ];
  mkdirSync(directory);
  writeFileSync(outside, 'secret');
  symlinkSync(outside, join(directory, 'link'));
  symlinkSync('..', join(directory, 'way'));
  writeAttemptFiles(directory, latin, Buffer.from([0x2b, 0xe9, 0x0a]));
  const { text, warnings } = await exported(sampleRun({ directory, attempts }), 'predictions');
  expect(text).toBe('');
  expect(warnings).toEqual([
    'outside is left out: ../secret is missing',
    `absolute is left out: ${outside} is missing`,
    'link is left out: link is missing',
    'way is left out: way/secret is missing',
    'gone is left out: attempts/gone/1/patch.diff is missing',
    'unjudged is left out: its outcome is infrastructure',
    'latin is left out: attempts/latin/1/patch.diff has bytes that are not UTF-8, which JSON cannot represent',
  ]);
});

test('JSON Lines contain the attempts unchanged, in the order of the plan', async () => {
  const attempts = [sampleAttempt({ attempt: 2 }), sampleAttempt({ attempt: 1, message: 'a\u2028b' })];
  const { text } = await exported(sampleRun({ attempts }), 'jsonl');
  expect(linesOf(text)).toEqual(attempts.toReversed());
});

async function exported(run: BatchRun, format: ExportFormat) {
  const pieces: string[] = [];
  const warnings = await exportRun(run, format, piece => void pieces.push(piece));
  return { text: pieces.join(''), warnings };
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

/** As RFC 4180 says. */
function readCsv(text: string): readonly (readonly string[])[] {
  const records: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '\r\n') records.push([]);
  }
  return records.slice(0, -1);
}
