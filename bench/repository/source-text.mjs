import { seededRandom } from './seeded-random.mjs';

const POOL_BYTES = 4 * 1024 ** 2;
const WORDS = 400;

/**
 * Gives texts that compress about as well as source code does (to about a third). They are cut from one pool, because a
 * gigabyte made word by word would take minutes; the first line makes each of them different.
 */
export function createSourceText(seed) {
  const random = seededRandom(seed);
  const pool = makePool(random);
  return (title, bytes) => {
    const head = Buffer.from(`// ${title}\n`);
    const length = Math.max(0, bytes - head.length);
    const start = Math.floor(random() * Math.max(1, pool.length - length));
    return Buffer.concat([head, pool.subarray(start, start + length)]);
  };
}

function makePool(random) {
  const words = Array.from({ length: WORDS }, () => makeWord(random));
  const pool = Buffer.alloc(POOL_BYTES);
  for (let offset = 0; offset < POOL_BYTES; ) {
    // Cubed: some words are common and most are rare, as in any language.
    const word = words[Math.floor(random() ** 3 * WORDS)];
    offset += pool.write(`${word}${random() < 0.12 ? ';\n  ' : ' '}`, offset);
  }
  return pool;
}

const makeWord = random =>
  random()
    .toString(36)
    .slice(2, 4 + Math.floor(random() * 8));
