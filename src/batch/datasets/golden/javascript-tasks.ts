import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { javascriptTask } from './golden-task.js';

export const javascriptTasks: readonly EvalItem[] = [
  javascriptTask({
    id: 'js-pagination-001',
    description: `
paginate in src/paginate.js drops the first entry of every page except the first, and adds an empty last page when the
entries fill the pages exactly. Pages are numbered from 1. A page that does not exist is an empty list.
`,
    difficulty: 'easy',
    tags: ['off-by-one'],
    files: {
      'src/paginate.js': `
/** The entries of one page, and how many pages there are. */
export function paginate(entries, page, pageSize) {
  const pages = Math.floor(entries.length / pageSize) + 1;
  const start = page === 1 ? 0 : (page - 1) * pageSize + 1;
  return { entries: entries.slice(start, start + pageSize), pages };
}
`.trimStart(),
    },
    solution: {
      'src/paginate.js': `
/** The entries of one page, and how many pages there are. */
export function paginate(entries, page, pageSize) {
  const pages = Math.ceil(entries.length / pageSize);
  const start = (page - 1) * pageSize;
  return { entries: entries.slice(start, start + pageSize), pages };
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { paginate } from '../src/paginate.js';

const entries = ['a', 'b', 'c', 'd'];

test('the second page begins where the first ends', () =>
  assert.deepEqual(paginate(entries, 2, 3), { entries: ['d'], pages: 2 }));
test('full pages make no empty one', () => assert.equal(paginate(entries, 1, 2).pages, 2));
test('no entries are no pages', () => assert.deepEqual(paginate([], 1, 2), { entries: [], pages: 0 }));
test('the first page', () => assert.deepEqual(paginate(entries, 1, 3).entries, ['a', 'b', 'c']));
test('a page that is not there is empty', () => assert.deepEqual(paginate(entries, 9, 3).entries, []));
`.trimStart(),
    failToPass: [
      'the second page begins where the first ends',
      'full pages make no empty one',
      'no entries are no pages',
    ],
    passToPass: ['the first page', 'a page that is not there is empty'],
  }),
  javascriptTask({
    id: 'js-regex-escape-001',
    description: `
highlight in src/highlight.js puts asterisks around every occurrence of a term, ignoring case. A term such as "c++" or "(a"
throws or matches in the wrong places, because it is used as a regular expression. Treat it as plain text; an empty term
matches nothing.
`,
    difficulty: 'easy',
    tags: ['regex'],
    files: {
      'src/highlight.js': `
/** highlight('Ink and ink', 'ink') is '*Ink* and *ink*'. */
export function highlight(text, term) {
  return text.replace(new RegExp(term, 'gi'), found => \`*\${found}*\`);
}
`.trimStart(),
    },
    solution: {
      'src/highlight.js': `
/** highlight('Ink and ink', 'ink') is '*Ink* and *ink*'. */
export function highlight(text, term) {
  if (term === '') return text;
  const literal = term.replace(/[.*+?^\${}()|[\\]\\\\/-]/g, '\\\\$&');
  return text.replace(new RegExp(literal, 'gi'), found => \`*\${found}*\`);
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { highlight } from '../src/highlight.js';

test('signs of a regular expression are text', () => {
  assert.equal(highlight('C++ or c', 'c++'), '*C++* or c');
  assert.equal(highlight('f(a)', '(a'), 'f*(a*)');
  assert.equal(highlight('a.b axb', 'a.b'), '*a.b* axb');
  assert.equal(highlight('[x] \\\\ y', '[x] \\\\'), '*[x] \\\\* y');
});
test('an empty term finds nothing', () => assert.equal(highlight('text', ''), 'text'));
test('finds in capitals and not', () => assert.equal(highlight('Ink and ink', 'ink'), '*Ink* and *ink*'));
`.trimStart(),
    failToPass: ['signs of a regular expression are text', 'an empty term finds nothing'],
    passToPass: ['finds in capitals and not'],
  }),
  javascriptTask({
    id: 'js-csv-quotes-001',
    description: `
parseCsv in src/csv.js splits at every comma and every line break. Make it support quoted fields: a field in double quotes
may contain commas, line breaks and doubled double quotes. Lines end with \\n or \\r\\n; a line break at the end of the
text does not start another row; an empty text has no rows.
`,
    difficulty: 'medium',
    tags: ['parsing'],
    files: {
      'src/csv.js': `
/** Rows of fields. */
export function parseCsv(text) {
  return text.split('\\n').map(line => line.split(','));
}
`.trimStart(),
    },
    solution: {
      'src/csv.js': `
const FIELD = /(?:"((?:[^"]|"")*)"|([^,\\r\\n]*))(,|\\r?\\n|$)/gy;

/** Rows of fields. */
export function parseCsv(text) {
  const rows = [];
  let row = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length || row.length > 0) {
    const [, quoted, plain, end] = FIELD.exec(text);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCsv } from '../src/csv.js';

test('commas in quotes', () => assert.deepEqual(parseCsv('a,"b,c",d'), [['a', 'b,c', 'd']]));
test('doubled quotes', () => assert.deepEqual(parseCsv('"say ""hi""",x'), [['say "hi"', 'x']]));
test('line ends in quotes', () => assert.deepEqual(parseCsv('"a\\nb",c\\nd,e'), [['a\\nb', 'c'], ['d', 'e']]));
test('carriage returns', () => assert.deepEqual(parseCsv('a,b\\r\\nc,d\\r\\n'), [['a', 'b'], ['c', 'd']]));
test('an empty text has no rows', () => assert.deepEqual(parseCsv(''), []));
test('empty fields', () => assert.deepEqual(parseCsv('a,,b'), [['a', '', 'b']]));
test('a comma at the end', () => assert.deepEqual(parseCsv('a,'), [['a', '']]));
`.trimStart(),
    failToPass: [
      'commas in quotes',
      'doubled quotes',
      'line ends in quotes',
      'carriage returns',
      'an empty text has no rows',
    ],
    passToPass: ['empty fields', 'a comma at the end'],
  }),
  javascriptTask({
    id: 'js-deep-merge-001',
    description: `
merge in src/merge.js merges a user's settings over defaults. It modifies the defaults, and settings with the key __proto__
(as JSON.parse creates them) modify every object of the program. Make it return a new object, leave both arguments and
everything in them unchanged, and ignore the keys __proto__, constructor and prototype at any depth. Arrays of the user
replace those of the defaults.
`,
    difficulty: 'hard',
    tags: ['security', 'objects'],
    files: {
      'src/merge.js': `
export function merge(defaults, settings) {
  for (const key in settings) {
    const value = settings[key];
    if (value && typeof value === 'object' && !Array.isArray(value)) {
      defaults[key] = merge(defaults[key] ?? {}, value);
    } else {
      defaults[key] = value;
    }
  }
  return defaults;
}
`.trimStart(),
    },
    solution: {
      'src/merge.js': `
const DANGEROUS = new Set(['__proto__', 'constructor', 'prototype']);

export function merge(defaults, settings) {
  const merged = copy(defaults);
  for (const key of Object.keys(settings)) {
    if (DANGEROUS.has(key)) continue;
    const value = settings[key];
    const below = Object.hasOwn(merged, key) && isObject(merged[key]) ? merged[key] : {};
    merged[key] = isObject(value) ? merge(below, value) : copy(value);
  }
  return merged;
}

const isObject = value => value !== null && typeof value === 'object' && !Array.isArray(value);

function copy(value) {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).filter(key => !DANGEROUS.has(key));
  return Object.fromEntries(keys.map(key => [key, copy(value[key])]));
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { merge } from '../src/merge.js';

test('the arguments stay as they are', () => {
  const defaults = { a: 1, deep: { b: 2, list: [1] } };
  const settings = { a: 9, deep: { c: 3 } };
  const merged = merge(defaults, settings);
  merged.deep.list.push(2);
  merged.deep.c = 4;
  assert.deepEqual(defaults, { a: 1, deep: { b: 2, list: [1] } });
  assert.deepEqual(settings, { a: 9, deep: { c: 3 } });
});
test('no object of the program changes', () => {
  try {
    const merged = merge({ deep: {} }, JSON.parse('{"__proto__":{"bad":1},"deep":{"constructor":{"prototype":{"worse":1}}}}'));
    assert.equal({}.bad, undefined);
    assert.equal({}.worse, undefined);
    assert.equal(merged.bad, undefined);
    assert.equal(Object.hasOwn(merged.deep, 'constructor'), false);
  } finally {
    delete Object.prototype.bad;
    delete Object.prototype.worse;
  }
});
test('merges at every depth', () =>
  assert.deepEqual(merge({ a: 1, deep: { b: 2, c: 3 } }, { deep: { c: 4, d: 5 } }), { a: 1, deep: { b: 2, c: 4, d: 5 } }));
test('lists and null are taken whole', () =>
  assert.deepEqual(merge({ list: [1, 2], gone: { a: 1 } }, { list: [3], gone: null }), { list: [3], gone: null }));
`.trimStart(),
    failToPass: ['the arguments stay as they are', 'no object of the program changes'],
    passToPass: ['merges at every depth', 'lists and null are taken whole'],
  }),
  javascriptTask({
    id: 'js-build-order-001',
    description: `
buildOrder in src/build-order.js sorts the packages of a repository so that each comes after its dependencies. It never
returns when packages depend on each other, and it drops packages that occur only as dependencies. For a cycle, throw an
Error whose message shows it, such as "a -> b -> a". Of the packages that could come next, take the first by name.
`,
    difficulty: 'hard',
    tags: ['graphs', 'algorithms'],
    files: {
      'src/build-order.js': `
/** needs: { app: ['core', 'ui'], ui: ['core'] } */
export function buildOrder(needs) {
  const order = [];
  const waiting = Object.keys(needs);
  while (waiting.length > 0) {
    const name = waiting.shift();
    const isReady = needs[name].every(other => order.includes(other) || !(other in needs));
    if (isReady) order.push(name);
    else waiting.push(name);
  }
  return order;
}
`.trimStart(),
    },
    solution: {
      'src/build-order.js': `
/** needs: { app: ['core', 'ui'], ui: ['core'] } */
export function buildOrder(needs) {
  const waiting = new Set([...Object.keys(needs), ...Object.values(needs).flat()].sort());
  const needed = name => (Object.hasOwn(needs, name) ? needs[name] : []);
  const order = [];
  while (waiting.size > 0) {
    const ready = [...waiting].find(name => !needed(name).some(other => waiting.has(other)));
    if (ready === undefined) throw new Error(\`packages need each other: \${findCircle(waiting, needed)}\`);
    waiting.delete(ready);
    order.push(ready);
  }
  return order;
}

/** From any package that waits, what it waits for leads into a circle. */
function findCircle(waiting, needed) {
  const path = [];
  let [name] = waiting;
  while (!path.includes(name)) {
    path.push(name);
    name = needed(name).find(other => waiting.has(other));
  }
  return [...path.slice(path.indexOf(name)), name].join(' -> ');
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import { spawnSync } from 'child_process';
import test from 'node:test';

// In a process of its own with a limit, because the order of a circle may have no end.
function order(needs) {
  const program = \`
    import { buildOrder } from './src/build-order.js';
    let answer;
    try { answer = { order: buildOrder(JSON.parse(process.argv[1])) }; } catch (error) { answer = { problem: error.message }; }
    process.stdout.write(JSON.stringify(answer));\`;
  const words = ['--input-type=module', '-e', program, JSON.stringify(needs)];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 5000, killSignal: 'SIGKILL' });
  return JSON.parse(stdout || '{"problem":"no answer in time"}');
}

test('a circle is an error that shows it', () => {
  assert.match(order({ a: ['b'], b: ['a'] }).problem, /a -> b -> a|b -> a -> b/);
  const longer = order({ app: ['x'], x: ['y'], y: ['z'], z: ['x'] }).problem;
  assert.match(longer, /x -> y -> z -> x|y -> z -> x -> y|z -> x -> y -> z/);
});
test('packages that are only needed are there', () => assert.deepEqual(order({ app: ['core'] }).order, ['core', 'app']));
test('first by name', () => assert.deepEqual(order({ c: [], a: ['d'], b: [], d: [] }).order, ['b', 'c', 'd', 'a']));
test('behind what it needs', () =>
  assert.deepEqual(order({ app: ['core', 'ui'], ui: ['core'], core: [] }).order, ['core', 'ui', 'app']));
`.trimStart(),
    failToPass: [
      'a circle is an error that shows it',
      'packages that are only needed are there',
      'first by name',
    ],
    passToPass: ['behind what it needs'],
  }),
];
