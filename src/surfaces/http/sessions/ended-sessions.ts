import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { carrelError, errnoOf, isMissing } from '../../../domain/error/error.js';

/** Sessions whose user has signed out. */
export interface EndedSessions {
  has(id: string): boolean;
  /** STATE_NOT_WRITABLE: the session is then still valid. */
  add(id: string, expiresAt: number): void;
}

/**
 * Kept in a file with lines `ID EXPIRES`, because a cookie outlives the server; read again when another server changes it.
 * Expired sessions are dropped.
 */
export function openEndedSessions(file: string, now: () => number): EndedSessions {
  let version = '';
  let ended = new Map<string, number>();
  const look = (): void => {
    const current = versionOf(file);
    if (current === version) return;
    ended = current === '' ? new Map() : parse(readFileSync(file, 'utf8'));
    version = current;
  };
  return {
    has(id) {
      look();
      return ended.has(id);
    },
    add(id, expiresAt) {
      look();
      const kept = [...ended, [id, expiresAt] as const].filter(([, expires]) => expires > now());
      write(file, kept.map(([name, expires]) => `${name} ${expires}\n`).join(''));
    },
  };
}

function versionOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return [ino, size, mtimeMs].join(' ');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

const parse = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .map(line => line.split(' '))
      .flatMap(([id, expires]) => (id && expires ? [[id, Number(expires)] as const] : [])),
  );

function write(file: string, text: string): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    throw carrelError('STATE_NOT_WRITABLE', { path: file, problem: errnoOf(error) ?? 'unknown' }, error);
  }
}
