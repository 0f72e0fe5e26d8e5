import type { EvalItem } from '../../../domain/eval-item.js';
import { typescriptTask } from './golden-task.js';

export const typescriptTasks: readonly EvalItem[] = [
  typescriptTask({
    id: 'ts-missing-await-001',
    description: `
saveAll in src/save.ts says that it is done before anything is saved, and what goes wrong while saving is lost. It has to
save the records one after another in their order, be done when the last is saved, give the number of saved records, and
reject with the first error without beginning the records after it. Run the tests with \`npm test\`.
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
    id: 'ts-cache-eviction-001',
    description: `
LeastRecentCache in src/cache.ts has to forget the entry that was not used for the longest time when it is full. It
forgets the one that was added first, although it was read a moment ago, and it forgets one too many when a key that is
there is set again. Mend both. Run the tests with \`npm test\`.
`,
    difficulty: 'medium',
    tags: ['cache', 'data-structures'],
    files: {
      'src/cache.ts': `
export class LeastRecentCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();

  constructor(most: number) {
    this.capacity = most;
  }

  private readonly capacity: number;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.capacity) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest as Key);
    }
    this.#entries.set(key, value);
  }
}
`.trimStart(),
      'test/cache.test.ts': `
import assert from 'node:assert/strict';
import test from 'node:test';
import { LeastRecentCache } from '../src/cache.ts';

test('keeps what fits', () => {
  const cache = new LeastRecentCache<string, number>(2);
  cache.set('a', 1);
  assert.equal(cache.get('a'), 1);
});
`.trimStart(),
    },
    solution: {
      'src/cache.ts': `
export class LeastRecentCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  private readonly capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    if (!this.#entries.has(key)) return undefined;
    const value = this.#entries.get(key) as Value;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    if (this.#entries.size >= this.capacity) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest as Key);
    }
    this.#entries.set(key, value);
  }
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { LeastRecentCache } from '../src/cache.ts';

function filled() {
  const cache = new LeastRecentCache(2);
  cache.set('a', 1);
  cache.set('b', 2);
  return cache;
}

test('reading keeps an entry', () => {
  const cache = filled();
  cache.get('a');
  cache.set('c', 3);
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3]);
});
test('setting again forgets nothing', () => {
  const cache = filled();
  cache.set('b', 20);
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.size], [1, 20, 2]);
});
test('a value that is undefined is an entry', () => {
  const cache = new LeastRecentCache(2);
  cache.set('a', undefined);
  cache.set('b', 2);
  cache.get('a');
  cache.set('c', 3);
  assert.equal(cache.get('b'), undefined);
  assert.equal(cache.size, 2);
});
test('forgets the oldest when nothing was read', () => {
  const cache = filled();
  cache.set('c', 3);
  assert.deepEqual([cache.get('a'), cache.get('c')], [undefined, 3]);
});
`.trimStart(),
    failToPass: [
      'reading keeps an entry',
      'setting again forgets nothing',
      'a value that is undefined is an entry',
    ],
    passToPass: ['forgets the oldest when nothing was read'],
  }),
  typescriptTask({
    id: 'ts-emitter-once-001',
    description: `
In src/emitter.ts a listener that takes itself off while it is called makes the emitter skip the one after it, and \`once\`
is missing. Every listener that was there when emit began has to be called once, in order. Add
\`once(name, listener)\`: called for the next event only, and \`off(name, listener)\` takes it off before that. Keep the
event map typed. Run the tests with \`npm test\`.
`,
    difficulty: 'hard',
    tags: ['events', 'feature', 'generics'],
    files: {
      'src/emitter.ts': `
type Listener<T> = (payload: T) => void;

export class Emitter<Events extends Record<string, unknown>> {
  #listeners: { [Name in keyof Events]?: Listener<Events[Name]>[] } = {};

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    (this.#listeners[name] ??= []).push(listener);
  }

  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    const list = this.#listeners[name];
    const index = list?.indexOf(listener) ?? -1;
    if (index >= 0) list!.splice(index, 1);
  }

  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): void {
    for (const listener of this.#listeners[name] ?? []) listener(payload);
  }
}
`.trimStart(),
      'test/emitter.test.ts': `
import assert from 'node:assert/strict';
import test from 'node:test';
import { Emitter } from '../src/emitter.ts';

test('calls a listener', () => {
  const emitter = new Emitter<{ saved: string }>();
  const seen: string[] = [];
  emitter.on('saved', name => seen.push(name));
  emitter.emit('saved', 'a');
  assert.deepEqual(seen, ['a']);
});
`.trimStart(),
    },
    solution: {
      'src/emitter.ts': `
type Listener<T> = (payload: T) => void;

interface Entry<T> {
  readonly listener: Listener<T>;
  readonly isOnce: boolean;
}

export class Emitter<Events extends Record<string, unknown>> {
  #entries: { [Name in keyof Events]?: readonly Entry<Events[Name]>[] } = {};

  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#add(name, { listener, isOnce: false });
  }

  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this.#add(name, { listener, isOnce: true });
  }

  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    const entries = this.#entries[name] ?? [];
    const found = entries.find(entry => entry.listener === listener);
    this.#entries[name] = entries.filter(entry => entry !== found);
  }

  emit<Name extends keyof Events>(name: Name, payload: Events[Name]): void {
    const entries = this.#entries[name] ?? [];
    this.#entries[name] = entries.filter(entry => !entry.isOnce);
    for (const { listener } of entries) listener(payload);
  }

  #add<Name extends keyof Events>(name: Name, entry: Entry<Events[Name]>): void {
    this.#entries[name] = [...(this.#entries[name] ?? []), entry];
  }
}
`.trimStart(),
    },
    tests: `
import assert from 'node:assert/strict';
import test from 'node:test';
import { Emitter } from '../src/emitter.ts';

test('one that takes itself off skips nobody', () => {
  const emitter = new Emitter();
  const seen = [];
  const first = () => {
    seen.push('first');
    emitter.off('x', first);
  };
  emitter.on('x', first);
  emitter.on('x', () => seen.push('second'));
  emitter.emit('x');
  emitter.emit('x');
  assert.deepEqual(seen, ['first', 'second', 'second']);
});
test('one that is added meanwhile waits', () => {
  const emitter = new Emitter();
  let calls = 0;
  emitter.on('x', () => emitter.on('x', () => calls++));
  emitter.emit('x');
  assert.equal(calls, 0);
});
test('once is called once', () => {
  const emitter = new Emitter();
  const seen = [];
  emitter.once('x', payload => {
    seen.push(payload);
    if (payload < 3) emitter.emit('x', payload + 1);
  });
  emitter.emit('x', 1);
  emitter.emit('x', 2);
  assert.deepEqual(seen, [1]);
});
test('off takes a once off', () => {
  const emitter = new Emitter();
  const listener = () => assert.fail('called');
  emitter.once('x', listener);
  emitter.off('x', listener);
  emitter.emit('x');
});
test('calls in order with the payload', () => {
  const emitter = new Emitter();
  const seen = [];
  emitter.on('x', payload => seen.push('a' + payload));
  emitter.on('x', payload => seen.push('b' + payload));
  emitter.emit('x', 1);
  emitter.emit('y', 2);
  assert.deepEqual(seen, ['a1', 'b1']);
});
`.trimStart(),
    failToPass: [
      'one that takes itself off skips nobody',
      'one that is added meanwhile waits',
      'once is called once',
      'off takes a once off',
    ],
    passToPass: ['calls in order with the payload'],
  }),
  typescriptTask({
    id: 'ts-union-case-001',
    description: `
src/shape.ts knows circles and rectangles. Add triangles: \`{ kind: 'triangle', base: number, height: number }\`, to the
union Shape and to area. A kind that area does not know has to be an Error that names the kind; now the area is silently
0. Run the tests with \`npm test\`.
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
