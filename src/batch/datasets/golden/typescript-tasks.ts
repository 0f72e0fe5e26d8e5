import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { typescriptTask } from './golden-task.js';

export const typescriptTasks: readonly EvalItem[] = [
  typescriptTask({
    id: 'ts-missing-await-001',
    description: `
saveAll in src/save.ts resolves before anything is saved, and errors while saving are lost. It has to save the records one
after another in order, resolve with the number of saved records after the last one, and reject with the first error
without starting on later records. Run the tests with \`npm test\`.
`,
    difficulty: 'medium',
    tags: ['async', 'promises'],
    files: {
      'src/save.ts': `
export interface Store<T> {
  save(record: T): Promise<void>;
}

/** Saves all records and gives their number. */
export async function saveAll<T>(store: Store<T>, records: readonly T[]): Promise<number> {
  let saved = 0;
  records.forEach(async (record: T) => {
    await store.save(record);
    saved++;
  });
  return saved;
}
`.trimStart(),
      'test/save.test.ts': `
import assert from 'node:assert/strict';
import test from 'node:test';
import { saveAll } from '../src/save.ts';

test('nothing to save is no work', async () => {
  assert.equal(await saveAll({ save: async () => {} }, []), 0);
});
`.trimStart(),
    },
    solution: {
      'src/save.ts': `
export interface Store<T> {
  save(record: T): Promise<void>;
}

/** Saves all records and gives their number. */
export async function saveAll<T>(store: Store<T>, records: readonly T[]): Promise<number> {
  for (const record of records) await store.save(record);
  return records.length;
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { saveAll } from '../src/save.ts';

function slowStore(failsAt) {
  const events = [];
  const save = async record => {
    events.push('begin ' + record);
    await new Promise(resolve => setImmediate(resolve));
    if (record === failsAt) throw new Error('no room for ' + record);
    events.push('end ' + record);
  };
  return { events, save };
}

test('is done when the last is saved', async () => {
  const store = slowStore();
  assert.equal(await saveAll(store, ['a', 'b']), 2);
  assert.deepEqual(store.events, ['begin a', 'end a', 'begin b', 'end b']);
});
test('rejects with the first error', async () => {
  const store = slowStore('b');
  process.on('unhandledRejection', () => {});
  await assert.rejects(saveAll(store, ['a', 'b', 'c']), /no room for b/);
  assert.deepEqual(store.events, ['begin a', 'end a', 'begin b']);
});
test('nothing to save is no work', async () => assert.equal(await saveAll(slowStore(), []), 0));
`.trimStart(),
    failToPass: ['is done when the last is saved', 'rejects with the first error'],
    passToPass: ['nothing to save is no work'],
  }),
  typescriptTask({
    id: 'ts-union-case-001',
    description: `
src/shape.ts supports circles and rectangles. Add triangles, \`{ kind: 'triangle', base: number, height: number }\`, to the
union Shape and to area. For an unknown kind, area has to throw an Error that names the kind; now it silently returns 0.
Run the tests with \`npm test\`.
`,
    difficulty: 'easy',
    tags: ['types', 'feature'],
    files: {
      'src/shape.ts': `
export type Shape =
  | { readonly kind: 'circle'; readonly radius: number }
  | { readonly kind: 'rectangle'; readonly width: number; readonly height: number };

export function area(shape: Shape): number {
  switch (shape.kind) {
    case 'circle':
      return Math.PI * shape.radius ** 2;
    case 'rectangle':
      return shape.width * shape.height;
    default:
      return 0;
  }
}
`.trimStart(),
      'test/shape.test.ts': `
import assert from 'node:assert/strict';
import test from 'node:test';
import { area } from '../src/shape.ts';

test('the area of a rectangle', () => assert.equal(area({ kind: 'rectangle', width: 2, height: 3 }), 6));
`.trimStart(),
    },
    solution: {
      'src/shape.ts': `
export type Shape =
  | { readonly kind: 'circle'; readonly radius: number }
  | { readonly kind: 'rectangle'; readonly width: number; readonly height: number }
  | { readonly kind: 'triangle'; readonly base: number; readonly height: number };

export function area(shape: Shape): number {
  switch (shape.kind) {
    case 'circle':
      return Math.PI * shape.radius ** 2;
    case 'rectangle':
      return shape.width * shape.height;
    case 'triangle':
      return (shape.base * shape.height) / 2;
    default:
      throw new Error(\`there is no shape of the kind \${(shape satisfies never as { kind: string }).kind}\`);
  }
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { area } from '../src/shape.ts';

test('the area of a triangle', () => assert.equal(area({ kind: 'triangle', base: 3, height: 5 }), 7.5));
test('an unknown kind is an error', () => assert.throws(() => area({ kind: 'hexagon' }), /hexagon/));
test('the area of the others', () => {
  assert.equal(area({ kind: 'rectangle', width: 2, height: 3 }), 6);
  assert.equal(area({ kind: 'circle', radius: 1 }), Math.PI);
});
`.trimStart(),
    failToPass: ['the area of a triangle', 'an unknown kind is an error'],
    passToPass: ['the area of the others'],
  }),
];
