import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory of the running test's own, real path, gone when the test ends. */
export function tempDir(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-test-')));
  onTestFinished(() => removeTree(path));
  return path;
}

/** Also when directories in it may not be written. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Paths that are too long for a system call, which rm(1) can delete.
    spawnSync('rm', ['-rf', '--', path]);
    makeWritable(path);
    // A process in the background that is about to end may have something mounted there, or write a last file.
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 25 });
  }
}

function makeWritable(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) makeWritable(join(path, name));
}
