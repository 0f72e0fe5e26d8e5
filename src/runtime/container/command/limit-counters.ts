import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LimitName } from '../../../domain/sandbox/runtime-finding.js';
import { readProcFile, unlessHidden } from '../../../exec/process/proc-table.js';
import type { RunningContainer } from '../lifecycle/container-record.js';

/** How often a container has reached its limits; undefined for what can't be read from here. */
export interface LimitCounters {
  readonly memory: number | undefined;
  readonly pids: number | undefined;
}

/**
 * Read on the host, from the control groups of the container's first process: engines report only the first process.
 */
export function readLimitCounters({ main }: RunningContainer): LimitCounters {
  const groups = (main && readProcFile(main.pid, 'cgroup')) ?? '';
  return {
    memory:
      readCounter(groups, '', 'memory.events', 'oom_kill') ??
      readCounter(groups, 'memory', 'memory.oom_control', 'oom_kill'),
    pids: readCounter(groups, '', 'pids.events', 'max') ?? readCounter(groups, 'pids', 'pids.events', 'max'),
  };
}

/** The limit that was reached between two readings; the one that stops commands first. */
export function findHitLimit(before: LimitCounters, after: LimitCounters): LimitName | undefined {
  if ((after.memory ?? 0) > (before.memory ?? 0)) return 'memory';
  return (after.pids ?? 0) > (before.pids ?? 0) ? 'pids' : undefined;
}

const CONTROL_GROUPS = '/sys/fs/cgroup';

/** Lines of /proc/PID/cgroup are `number:controllers:path`; version 2 is the one without controllers. */
function readCounter(groups: string, controller: string, file: string, key: string): number | undefined {
  const line = groups.split('\n').find(candidate => candidate.split(':')[1] === controller);
  if (line === undefined) return undefined;
  const path = join(CONTROL_GROUPS, controller, line.split(':').slice(2).join(':'), file);
  const text = unlessHidden(() => readFileSync(path, 'latin1')) ?? '';
  const value = new RegExp(`^${key} (\\d+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}
