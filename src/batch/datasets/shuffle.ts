import { createHash } from 'node:crypto';

/** The same items in an order that depends only on the seed: the same on every machine and with every version of Node. */
export function shuffle<T>(items: readonly T[], seed: string, keyOf: (item: T) => string): T[] {
  const keyed = items.map(item => ({ item, key: hash(`${seed}\0${keyOf(item)}`) }));
  // Sorted by key, items keep their relative order when the dataset grows.
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
