import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The first value of `find` that is not undefined; fails after `limitMs`. */
export async function waitFor<T>(
  what: string,
  find: () => T | undefined | Promise<T | undefined>,
  limitMs = 50_000,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== null) return found;
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms in vain for ${what}`);
    await delay(10);
  }
}

/** The pid that a program has written into a file, with a line break at the end. */
export function waitForPid(file: string): Promise<number> {
  return waitFor(`a pid in ${file}`, () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return text.endsWith('\n') ? Number(text) : undefined;
  });
}
