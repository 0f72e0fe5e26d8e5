import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carrelError, errnoOf, ignoreMissing } from '../../../domain/error/error.js';

export interface Token {
  readonly value: string;
  readonly isNew: boolean;
}

/** The token in a file that only its owner can read; created if missing. Servers that start at the same time share it. */
export async function loadToken(file: string): Promise<Token> {
  const present = await readToken(file);
  if (present !== undefined) return { value: present, isNew: false };
  const made = await createToken(file);
  return made === undefined ? loadToken(file) : { value: made, isNew: true };
}

/** Takes the same time for every wrong token of any length. */
export function createTokenCheck(token: string): (given: string) => boolean {
  const expected = digest(token);
  return given => timingSafeEqual(digest(given), expected);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

async function readToken(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r').catch(ignoreMissing);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw unusable(file, 'it is not a file');
    // Other users may have read it already, so it is not fixed silently.
    if ((stats.mode & 0o077) !== 0)
      throw unusable(file, `other users can access it (mode ${octal(stats.mode)}, expected 600)`);
    const value = (await handle.readFile('utf8')).trim();
    // Valid in a header, and too long to guess.
    if (!/^[\w.~+/=-]{16,500}$/.test(value))
      throw unusable(file, 'expected one line of 16 or more letters, digits or ._~+/=-');
    return value;
  } finally {
    await handle.close();
  }
}

const octal = (mode: number): string => (mode & 0o777).toString(8);

const unusable = (file: string, problem: string) => carrelError('TOKEN_FILE_UNUSABLE', { file, problem });

/** Undefined if another process was first. A hard link appears with its content and never replaces a file. */
async function createToken(file: string): Promise<string | undefined> {
  const value = `carrel_${randomBytes(32).toString('base64url')}`;
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${value}\n`, { mode: 0o600, flag: 'wx' });
    await link(draft, file);
    return value;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw carrelError('STATE_NOT_WRITABLE', { path: file, problem: errnoOf(error) ?? 'unknown' }, error);
  } finally {
    await rm(draft, { force: true });
  }
}
