import { createHash } from 'node:crypto';

/** The same items in an order that the seed alone decides: the same on every machine and with every version of Node. */
export function shuffle<T>(items: readonly T[], seed: string, keyOf: (item: T) => string): T[] {
  const keyed = items.map(item => ({ item, key: hash(`${seed}\0${keyOf(item)}`) }));
  // By key, an item keeps its place among the others when the data set grows.
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ item }) => item);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
