import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isRoot } from '../../parts/required-part.js';
import { BINARY } from '../carrel.js';
import { tempDir } from '../temp.js';

/** What the command needs when it runs; the rest is bundled into it. */
const PARTS = [
  'bin',
  'dist',
  'package.json',
  ...['libsql', '@libsql', '@neon-rs', 'detect-libc'].map(name => `node_modules/${name}`),
];

/**
 * The command where the ordinary user may read it, for tests that are run by root: in its place, or a copy when that is
 * in a private directory, as a checkout in root's home is.
 */
export function findReadableProgram(uid: number, makePlace: () => string = tempDir): string {
  const user = isRoot ? { uid, gid: uid } : {};
  if (spawnSync(process.execPath, [BINARY, '--version'], { cwd: '/', ...user }).status === 0) return BINARY;
  const place = makePlace();
  chmodSync(place, 0o755);
  mkdirSync(join(place, 'node_modules'));
  for (const part of PARTS) cpSync(resolve(BINARY, '../..', part), join(place, part), { recursive: true });
  return join(place, 'bin/carrel.cjs');
}
