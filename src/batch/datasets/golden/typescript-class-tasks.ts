import type { EvalItem } from '../../../domain/batch/eval-item.js';
import { typescriptTask } from './golden-task.js';

export const typescriptClassTasks: readonly EvalItem[] = [
  typescriptTask({
    id: 'ts-cache-eviction-001',
    description: `
When LeastRecentCache in src/cache.ts is full, it should evict the least recently used entry. Instead it evicts the entry
that was added first, even if it was just read, and it evicts an entry when an existing key is set again. Fix both. Run
the tests with \`npm test\`.
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
In src/emitter.ts, a listener that removes itself while it is called makes the emitter skip the next one, and \`once\` is
missing. Every listener that was registered when emit started has to be called once, in order. Add
\`once(name, listener)\`, which is called for the next event only and can be removed before that with
\`off(name, listener)\`. Keep the event map typed. Run the tests with \`npm test\`.
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

test('one that removes itself skips no other', () => {
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
      'one that removes itself skips no other',
      'one that is added meanwhile waits',
      'once is called once',
      'off takes a once off',
    ],
    passToPass: ['calls in order with the payload'],
  }),
];
