import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import type { LimitName } from '../../domain/sandbox/runtime-finding.js';
import type { Limits } from '../../domain/sandbox/sandbox.js';
import type { Policy, UsualLimits } from '../policy.js';

/** Enough for any build, and few enough that a fork bomb leaves the machine usable. */
const PROCESSES = 4096;
/** The rest is for the user, and for Carrel, which has to stop the command. */
const MEMORY_SHARE = 0.75;
/** Of the free space when a command starts, so that no number of commands fills the disk. */
const DISK_SHARE = 0.5;
/** When memory runs out anyway, the kernel kills processes inside first. Of 1000. */
const OOM_SCORE = 500;

/** The default limits of every sandbox. See docs/guides/sandbox.md. */
export function usualLimits(): UsualLimits {
  return {
    pids: PROCESSES,
    memory: Math.floor(totalmem() * MEMORY_SHARE),
    diskShare: DISK_SHARE,
    // A process may only raise its own.
    oomScore: Math.max(OOM_SCORE, readOwnScore()),
  };
}

function readOwnScore(): number {
  try {
    return Number(readFileSync('/proc/self/oom_score_adj', 'latin1').trim()) || 0;
  } catch {
    // Not on Linux.
    return 0;
  }
}

/** The limits of a policy, with the default ones that can be enforced here. */
export function withUsualLimits({ limits, usual }: Policy, enforceable: readonly LimitName[]): Limits {
  if (!usual) return limits;
  return {
    ...(enforceable.includes('pids') && { pids: usual.pids }),
    ...(enforceable.includes('memory') && { memory: usual.memory }),
    ...limits,
  };
}
