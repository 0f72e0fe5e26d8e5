import { createHash } from 'node:crypto';

/** Hash of everything an agent's results depend on; key order does not matter. */
export const fingerprintOf = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content, sortKeys)).digest('hex').slice(0, 32);

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
