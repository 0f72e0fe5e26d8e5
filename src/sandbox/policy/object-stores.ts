import { readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ignoreMissing } from '../../domain/error/error.js';
import { INSIDE } from '../../runtime/policy.js';
import type { SandboxPlace } from '../sandbox-place.js';

/** git itself follows borrowed stores no deeper than this. */
const DEEPEST = 5;

/**
 * The object directory of a repository, then every one that it borrows from, at any depth, each once, as real paths. A missing store
 * is left out: git reports it and continues, and so do we.
 */
export async function listObjectStores(commonDir: string): Promise<string[]> {
  const found: string[] = [];
  await addStore(join(commonDir, 'objects'), 0, found);
  return found;
}

async function addStore(path: string, depth: number, found: string[]): Promise<void> {
  const store = await realpath(path).catch(ignoreMissing);
  if (store === undefined || found.includes(store) || depth > DEEPEST) return;
  found.push(store);
  for (const line of await readBorrowed(store)) await addStore(resolve(store, line), depth + 1, found);
}

async function readBorrowed(store: string): Promise<string[]> {
  const text = await readFile(join(store, 'info', 'alternates'), 'utf8').catch(ignoreMissing);
  return (text ?? '')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(unquote);
}

/** A path that begins with a quotation mark is written as in C (gitrepository-layout(5)). */
function unquote(line: string): string {
  if (!/^".*"$/.test(line)) return line;
  const bytes = line
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/g, (_, escaped: string) => resolveEscape(escaped));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

const NAMED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

const resolveEscape = (escaped: string): string =>
  escaped.length === 3 ? String.fromCharCode(Number.parseInt(escaped, 8)) : (NAMED[escaped] ?? escaped);

/** Where the stores of `listObjectStores` are seen inside, in the same order. */
export const insideStore = (at: number): string =>
  at === 0 ? INSIDE.parentObjects : join(INSIDE.parentAlternates, String(at - 1));

/**
 * Which of the stores borrow themselves, by index. Their paths are the host's, and git inside would complain with every command
 * that they are missing; so an empty file covers them.
 */
export async function listBorrowers(stores: readonly string[]): Promise<number[]> {
  const borrowed = await Promise.all(stores.map(readBorrowed));
  return [...stores.keys()].filter(at => (borrowed[at] ?? []).length > 0);
}

export const emptyFile = ({ root }: Pick<SandboxPlace, 'root'>): string => join(root, 'empty');
