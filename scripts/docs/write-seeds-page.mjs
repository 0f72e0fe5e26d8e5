// The page of the requirements that Carrel was built from, from docs/seeds.yaml. Each row names the tests that prove it.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'yaml';

const FILE = 'docs/seeds.yaml';
const STATES = ['works', 'differently', 'partial', 'missing'];

export function readSeeds() {
  return parse(readFileSync(FILE, 'utf8')).documents;
}

export function writeSeeds(documents, { page, table }) {
  const introduction = [
    'Carrel was built from five documents of other projects. This page lists each of their requirements, what Carrel does,',
    'and the tests that prove it. `differently` means that Carrel deliberately does something else, with the reason.',
  ].join('\n');
  return page('Requirements', introduction, [
    countStates(documents, table),
    ...documents.map(document => describeDocument(document, table)),
  ]);
}

function countStates(documents, table) {
  const count = (rows, state) => rows.filter(row => row.state === state).length;
  const line = (name, rows) => [name, ...STATES.map(state => count(rows, state)), rows.length];
  return table(
    ['document', ...STATES, 'all'],
    [
      ...documents.map(({ name, rows }) => line(name, rows)),
      line(
        'all',
        documents.flatMap(({ rows }) => rows),
      ),
    ],
  );
}

function describeDocument({ name, page, about, rows }, table) {
  const cells = rows.map(row => [
    row.number,
    row.requirement,
    row.reason ? `${row.carrel} Why: ${row.reason}` : row.carrel,
    row.state,
    (row.tests ?? []).map(describeTest).join('<br>'),
  ]);
  return [
    `## ${name}`,
    `${about} For its users: [commands, settings and names](../coming-from/${page}.md).`,
    table(['#', 'requirement', 'what Carrel does', 'state', 'proven by'], cells),
  ].join('\n\n');
}

function describeTest(test) {
  const { file, names } = splitTest(test);
  return `[${basename(file)}](../../${file}): ${names.join(' > ').replaceAll('<', '&lt;')}`;
}

function splitTest(test) {
  const [file, ...names] = test.split(' > ');
  return { file, names };
}

/** One sentence for each row that is not as it should be. */
export function findSeedProblems(documents) {
  return documents.flatMap(({ name, rows }) =>
    rows.flatMap((row, index) =>
      findRowProblems(row, index + 1).map(problem => `${FILE}: ${name}, row ${row.number}: ${problem}`),
    ),
  );
}

function findRowProblems(row, expected) {
  const { state, tests = [] } = row;
  const isProven = state === 'works' || state === 'differently';
  return [
    row.number !== expected && `the number is ${row.number}; expected ${expected}`,
    !(row.requirement && row.carrel) && 'it has no requirement, or not what Carrel does',
    !STATES.includes(state) && `the state is ${state}; expected one of ${STATES.join(', ')}`,
    (state === 'differently') !== (row.reason !== undefined) &&
      'a reason belongs to the state differently, and only there',
    isProven && tests.length === 0 && `it names no test; expected one, or the state partial`,
    state === 'partial' &&
      tests.length === 0 &&
      !row.carrel.includes('no test yet') &&
      'it names no test; expected one, or the words "no test yet"',
    ...tests.map(findMissingTest),
  ].filter(Boolean);
}

function findMissingTest(test) {
  const { file, names } = splitTest(test);
  const text = readIfThere(file);
  if (text === undefined) return `there is no file ${file}`;
  if (names.length === 0) return `${test} names no test; expected FILE > NAME`;
  const missing = names.find(name => !['"', "'", '`'].some(quote => text.includes(quote + name)));
  return missing !== undefined && `${file} has no test "${missing}"`;
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
