import { spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';
import { requirePart } from './required-part.js';

/**
 * Arguments that show a sandbox the programs of the machine. Not all of `/`: when a container engine mounts or unmounts
 * something anywhere below it at that moment, bubblewrap fails ("Unable to apply mount flags").
 */
export const SHOW_PROGRAMS: readonly string[] = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc',
  '/opt',
  '/nix',
].flatMap(path => ['--ro-bind-try', path, path]);

let isUsable: boolean | undefined;

/** Whether bubblewrap is installed and this kernel lets this user make a sandbox without a network. */
export function canUseBubblewrap(): boolean {
  isUsable ??= spawnSync('bwrap', ['--unshare-all', ...SHOW_PROGRAMS, 'true']).status === 0;
  return isUsable;
}

/** For tests that need a real sandbox. */
export function requireBubblewrap(context: TestContext): void {
  requirePart(context, canUseBubblewrap(), 'bubblewrap');
}
