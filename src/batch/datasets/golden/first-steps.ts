import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { javascriptTask, typescriptTask } from './golden-task.js';

/** The three with the tag `quick`: reading one file is enough. */
export const firstSteps: readonly EvalItem[] = [
  javascriptTask({
    id: 'fix-typo-001',
    description: `
The greeting in src/greet.js has a typo: it says "Helo". It should say "Hello", with and without a name.
`,
    difficulty: 'easy',
    tags: ['typo', 'quick'],
    files: {
      'README.md': '# greet\n\n`greet(name)` says hello to somebody, or to everybody.\n',
      'src/greet.js': `
export function greet(name) {
  return name ? \`Helo, \${name}!\` : 'Helo, everybody!';
}

export const farewell = name => \`Goodbye, \${name}!\`;
`.trimStart(),
    },
    solution: {
      'src/greet.js': `
export function greet(name) {
  return name ? \`Hello, \${name}!\` : 'Hello, everybody!';
}

export const farewell = name => \`Goodbye, \${name}!\`;
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { farewell, greet } from '../src/greet.js';

test('greets somebody', () => assert.equal(greet('Ada'), 'Hello, Ada!'));
test('greets everybody', () => assert.equal(greet(), 'Hello, everybody!'));
test('says goodbye as before', () => assert.equal(farewell('Ada'), 'Goodbye, Ada!'));
`.trimStart(),
    failToPass: ['greets somebody', 'greets everybody'],
    passToPass: ['says goodbye as before'],
  }),
  javascriptTask({
    id: 'fix-import-001',
    description: `
\`node src/main.js 3 4\` fails: an import names something that does not exist. Fix it so that the program prints the area
of a rectangle again. Do not change the names that src/geometry.js exports: other programs use them.
`,
    difficulty: 'easy',
    tags: ['import', 'quick'],
    files: {
      'src/main.js': `
import { area } from './geometry.js';
import { formatNumber } from './lib/format.js';

const [width, height] = process.argv.slice(2).map(Number);
console.log(formatNumber(area(width, height)));
`.trimStart(),
      'src/geometry.js': `
export const rectangleArea = (width, height) => width * height;

export const circleArea = radius => Math.PI * radius ** 2;
`.trimStart(),
      'src/format.js': `
export const formatNumber = number => number.toFixed(2);
`.trimStart(),
    },
    solution: {
      'src/main.js': `
import { formatNumber } from './format.js';
import { rectangleArea } from './geometry.js';

const [width, height] = process.argv.slice(2).map(Number);
console.log(formatNumber(rectangleArea(width, height)));
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import { execFileSync } from 'child_process';
import test from 'node:test';
import * as geometry from '../src/geometry.js';

const run = (...words) => execFileSync(process.execPath, ['src/main.js', ...words], { encoding: 'utf8', stdio: 'pipe' });

test('prints the area', () => assert.equal(run('3', '4'), '12.00\\n'));
test('prints fractions', () => assert.equal(run('0.5', '3'), '1.50\\n'));
test('geometry exports what it did', () => {
  assert.equal(geometry.rectangleArea(2, 5), 10);
  assert.equal(geometry.circleArea(0), 0);
});
`.trimStart(),
    failToPass: ['prints the area', 'prints fractions'],
    passToPass: ['geometry exports what it did'],
  }),
  typescriptTask({
    id: 'fix-type-error-001',
    description: `
src/invoice.ts declares the fields of a line as numbers although they are strings, so totals are concatenated strings: two
lines of "2 x 10" give "02020" or worse. Make parseLine return real numbers, throw an Error that quotes the line if its
numbers are invalid, and keep the types correct. Run the tests with \`npm test\`.
`,
    difficulty: 'easy',
    tags: ['types', 'quick'],
    files: {
      'src/invoice.ts': `
export interface InvoiceLine {
  readonly item: string;
  readonly quantity: number;
  readonly unitPrice: number;
}

/** A line such as "pencil;3;0.5". */
export function parseLine(line: string): InvoiceLine {
  const [item, quantity, unitPrice] = line.split(';') as [string, any, any];
  return { item, quantity, unitPrice };
}

export function countPieces(lines: readonly InvoiceLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity, 0);
}

export function totalOf(lines: readonly InvoiceLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0);
}
`.trimStart(),
      'test/invoice.test.ts': `
import assert from 'node:assert/strict';
import test from 'node:test';
import { parseLine, totalOf } from '../src/invoice.ts';

test('multiplies quantity and price', () => {
  const total: number = totalOf([parseLine('pencil;3;0.5')]);
  assert.equal(total, 1.5);
});
`.trimStart(),
    },
    solution: {
      'src/invoice.ts': `
export interface InvoiceLine {
  readonly item: string;
  readonly quantity: number;
  readonly unitPrice: number;
}

/** A line such as "pencil;3;0.5". */
export function parseLine(line: string): InvoiceLine {
  const [item = '', quantity = '', unitPrice = ''] = line.split(';');
  return { item, quantity: parseNumber(quantity, line), unitPrice: parseNumber(unitPrice, line) };
}

function parseNumber(text: string, line: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new Error(\`not a number in the line "\${line}"\`);
  return number;
}

export function countPieces(lines: readonly InvoiceLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity, 0);
}

export function totalOf(lines: readonly InvoiceLine[]): number {
  return lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0);
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { countPieces, parseLine, totalOf } from '../src/invoice.ts';

test('fields are numbers', () =>
  assert.deepEqual(parseLine('pencil;3;0.5'), { item: 'pencil', quantity: 3, unitPrice: 0.5 }));
test('counts the pieces', () => assert.equal(countPieces([parseLine('a;2;10'), parseLine('b;2;10')]), 4));
test('refuses what is not a number', () => {
  assert.throws(() => parseLine('pencil;three;0.5'), /pencil;three;0\\.5/);
  assert.throws(() => parseLine('pencil;3;'), /pencil;3;/);
});
test('totals stay right', () => assert.equal(totalOf([parseLine('a;2;10'), parseLine('b;3;1')]), 23));
`.trimStart(),
    failToPass: ['fields are numbers', 'counts the pieces', 'refuses what is not a number'],
    passToPass: ['totals stay right'],
  }),
];
