import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import { findProcess, hasProc, type ProcessEntry } from './process-table.js';

/** The lasting identity of a living process; undefined when there is none with this pid. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const entry = findProcess(pid);
  return entry && toIdentity(entry, currentRealm());
}

/**
 * Whether exactly this process still lives. `unknown` when it can't be looked up from here: it belongs to another pid
 * namespace (a container) of the same boot, or the system hides it from us. A process of another boot is dead; that
 * another machine shares the record is ruled out by SQLite's WAL, which does not work across machines.
 */
export function isAlive(identity: ProcessIdentity): 'alive' | 'dead' | 'unknown' {
  const here = currentRealm();
  if (bootOf(identity.realm) !== bootOf(here)) return 'dead';
  if (identity.realm !== here) return 'unknown';
  const entry = findProcess(identity.pid);
  if (entry) return entry.startedAt === identity.startedAt ? 'alive' : 'dead';
  return isHidden(identity.pid) ? 'unknown' : 'dead';
}

export function toIdentity(entry: ProcessEntry, realm: string): ProcessIdentity {
  return { pid: entry.pid, startedAt: entry.startedAt, realm };
}

/** `BOOT NAMESPACE` of this process. */
export function currentRealm(): string {
  if (!hasProc()) return `${darwinBoot()} -`;
  return `${linuxBoot()} ${readlinkSync('/proc/self/ns/pid')}`;
}

/** What changes when the machine starts anew. */
export const currentBoot = (): string => bootOf(currentRealm());

const bootOf = (realm: string): string => realm.slice(0, realm.indexOf(' '));

function linuxBoot(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
}

function darwinBoot(): string {
  const args = ['-n', 'kern.bootsessionuuid'];
  const result = spawnSync('sysctl', args, {
    env: { PATH: '/usr/sbin:/sbin:/usr/bin:/bin' },
    encoding: 'latin1',
  });
  if (result.error) throw result.error;
  return result.stdout.trim();
}

/** /proc mounted with hidepid shows nothing of another user's processes, but a signal tells that there is one. */
function isHidden(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
