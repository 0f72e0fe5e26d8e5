import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/helpers/temp.js';
import { TYPESCRIPT_TOOLS } from './typescript-tools.js';

/** What agents write: every place where a type can stand, beside what only looks like one. */
const PROGRAM = `
import type { Stats } from 'node:fs';
import { type PathLike, existsSync } from 'node:fs';
export type Pair<A, B = A> = readonly [A, B];
type Deep<T> = T extends (infer Item)[] ? { [Key in keyof Item]?: Deep<Item[Key]> } : T
interface Named { readonly name: string; greet?(): void }
export abstract class Animal implements Named {
  static count: number = 0;
  readonly #legs: number;
  declare age: number;
  private parts?: Map<string, Array<Pair<number>>> = new Map<string, Array<Pair<number>>>();
  constructor(public_name: string, legs = 4) { this.name = public_name; this.#legs = legs; Animal.count++ }
  name: string
  abstract speak(): string;
  get legs(): number { return this.#legs; }
  async load<T extends object>(this: Animal, value: T, ...rest: readonly (string | undefined)[]): Promise<T> { return value; }
}
export class Dog extends Animal { override speak(): string { return \`\${(this as Animal).name}: \${this.legs! > 3 ? 'woof' : '...'}\`; } }
export function first<T>(list: readonly T[], fallback?: T): T | undefined;
export function first<T>(list: readonly T[], fallback?: T) { return list[0] ?? fallback; }
const pick = <T,>(value: T, { a, b = 2 }: { a: number; b?: number } = { a: 1 }): [T, number] => [value, a + b];
const isText = (value: unknown): value is string => typeof value === 'string';
const choose = (flag: boolean) => flag ? (1) : { ok: true };
const compare = (a: number, b: number): boolean => a < b && b > (a);
let later!: string, other: Record<string, () => void> = { run() {}, 'two words': (): void => {} };
later = 'x' satisfies string;
try { throw new Error('no') } catch (error: unknown) { later += (error as Error).message }
switch (later) { case ('xno'): { later = later.replace(/[:<]as/g, ':') as string; } }
export const table = { as: 1, type: 'word', of: <T>(): T[] => [], 'a:b': 3 } as const;
export const results = [new Dog('Rex').speak(), first<number>([3]), pick('p', { a: 5 }), isText(later), choose(false), compare(1, 2), later, existsSync('/'), table.type, Object.keys(other)];
`;

test('erasing types leaves a program that does the same', async () => {
  const directory = tempDir();
  for (const [name, content] of Object.entries(TYPESCRIPT_TOOLS))
    writeFileSync(join(directory, name), content);
  const load = (name: string) => import(pathToFileURL(join(directory, name)).href);
  const { eraseByHand } = await load('erase-types.mjs');
  const erased: string = eraseByHand(PROGRAM);
  expect(erased.split('\n')).toHaveLength(PROGRAM.split('\n').length);
  writeFileSync(join(directory, 'program.mjs'), erased);
  const { results, table } = await load('program.mjs');
  expect(results).toEqual([
    'Rex: woof',
    3,
    ['p', 7],
    true,
    { ok: true },
    true,
    'xno',
    true,
    'word',
    ['run', 'two words'],
  ]);
  expect(table).toMatchObject({ as: 1, 'a:b': 3 });
});
