import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sampleAttempt, sampleRun, writeAttemptFiles } from '../../../../test/helpers/batch/sample-run.js';
import { thoroughTest } from '../../../../test/helpers/flavours.js';
import { allElements, readMarkup } from '../../../../test/helpers/server/read-markup.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import type { BatchRun } from '../../../domain/batch/batch-run.js';
import { writeHtml } from './write-html.js';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>'\`</pre></title></style><!-- &lt; \u0000\u202e\ud800\u001b[2J`;

test('the report is one well-formed page that loads and runs nothing', async () => {
  const { text, elements } = await reportOf(sampleRun({ directory: tempDir() }));
  const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = elements.find(({ attributes }) => attributes['http-equiv'] === 'Content-Security-Policy');
  expect(policy?.attributes.content).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
  );
  expect(style).not.toMatch(/url\(|@import/);
  expect(namesOf(elements)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(script|img|link|iframe)$/)]),
  );
  expect(attributeNamesOf(elements).filter(name => /^(on.*|src|style|srcset)$/.test(name))).toEqual([]);
});

test('shows the cost of repeated attempts next to the cost', async () => {
  const directory = tempDir();
  expect((await reportOf(sampleRun({ directory, spentUsd: 0.6 }))).text).toContain('$0.60 spent in total');
  expect((await reportOf(sampleRun({ directory }))).text).not.toContain('spent in total');
});

test('every link has a target in the page, and every anchor is unique', async () => {
  const attempts = ['one', 'two', 'a b', 'a_32_b'].map(taskId => sampleAttempt({ taskId }));
  const { elements } = await reportOf(sampleRun({ attempts, directory: tempDir() }));
  const ids = elements.flatMap(({ attributes }) => attributes.id ?? []);
  const links = elements.flatMap(({ attributes }) => attributes.href ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(links).toHaveLength(4);
  for (const link of links) expect(ids).toContain(link.slice(1));
});

test('text of an agent, a dataset or a file is escaped', async () => {
  const directory = tempDir();
  const [grade] = sampleAttempt().graders;
  const attempt = sampleAttempt({
    outcome: 'failed',
    message: `${HOSTILE}\n${HOSTILE}`,
    findings: [HOSTILE],
    graders: grade === undefined ? [] : [{ ...grade, name: HOSTILE, detail: HOSTILE }],
    worktreePath: HOSTILE,
  });
  writeAttemptFiles(directory, attempt, HOSTILE, HOSTILE);
  const tame = await reportOf(sampleRun({ directory, attempts: [sampleAttempt()] }));
  const { text, elements } = await reportOf(
    sampleRun({
      directory,
      attempts: [attempt, sampleAttempt({ taskId: HOSTILE })],
      dataset: HOSTILE,
      agent: HOSTILE,
      environment: { [HOSTILE]: HOSTILE },
      skipped: [{ id: HOSTILE, reason: HOSTILE }],
      labels: { [attempt.taskId]: { language: HOSTILE, difficulty: HOSTILE, tags: [HOSTILE] } },
    }),
  );
  const known = new Set([...namesOf(tame.elements), 'ul', 'fieldset', 'legend', 'label', 'input', 'pre']);
  expect(namesOf(elements).filter(name => !known.has(name))).toEqual([]);
  expect(attributeNamesOf(elements).filter(name => name.startsWith('on'))).toEqual([]);
  for (const character of ['\u0000', '\u001b', '\u202e', '\ud800']) expect(text).not.toContain(character);
  const shown = elements.filter(element => element.text.includes('<script>alert(1)</script>'));
  expect(shown.length).toBeGreaterThan(10);
});

test('shows the start of patches and the end of logs, with the omitted size', async () => {
  const directory = tempDir();
  const attempt = sampleAttempt();
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
  writeAttemptFiles(directory, attempt, `first\n${lines}`, `${lines}\nlast`);
  const { text, elements } = await reportOf(sampleRun({ directory, attempts: [attempt] }));
  const [patch, log] = elements.filter(({ name }) => name === 'pre');
  expect(patch?.text).toMatch(/^first\nline 0\n/);
  expect(log?.text).toMatch(/\nline 19999\nlast$/);
  expect(text.match(/bytes in total/g)).toHaveLength(2);
});

test('a run without attempts gives a page, too', async () => {
  const { text } = await reportOf(
    sampleRun({ attempts: [], taskIds: ['one'], status: 'stopped', labels: {} }),
  );
  expect(text).toContain('This run is stopped: 1 attempt missing.');
});

thoroughTest('a report of a thousand attempts with huge or many messages stays below 5 MB', async () => {
  const directory = tempDir();
  const [grade] = sampleAttempt().graders;
  const flood = '<&\u0001"\u{1f642}'.repeat(1000);
  const attempts = Array.from({ length: 1000 }, (_, index) => {
    const words = index % 2 === 0 ? flood : 'x';
    return sampleAttempt({
      taskId: `${'long-name-'.repeat(11)}${String(index).padStart(4, '0')}`,
      outcome: 'failed',
      message: flood,
      findings: Array(50).fill(words),
      graders: grade === undefined ? [] : Array(20).fill({ ...grade, name: words, detail: words }),
    });
  });
  for (const attempt of attempts.filter((_, index) => index % 2 === 1))
    writeAttemptFiles(directory, attempt, flood, flood);
  const text = await render(sampleRun({ directory, attempts }));
  expect(Buffer.byteLength(text)).toBeLessThan(5_000_000);
});

async function reportOf(run: BatchRun) {
  const text = await render(run);
  return { text, elements: allElements(readMarkup(text)) };
}

async function render(run: BatchRun): Promise<string> {
  const pieces: string[] = [];
  await writeHtml(run, piece => void pieces.push(piece));
  return pieces.join('');
}

type Elements = ReturnType<typeof allElements>;

const namesOf = (elements: Elements) => [...new Set(elements.map(({ name }) => name))];

const attributeNamesOf = (elements: Elements) => [
  ...new Set(elements.flatMap(({ attributes }) => Object.keys(attributes))),
];
