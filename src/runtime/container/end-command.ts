import { setTimeout as delay } from 'node:timers/promises';
import { killTree } from '../../exec/kill-tree.js';
import { readProcFile } from '../../exec/proc-table.js';
import type { RunningContainer } from './container-record.js';
import type { Engine } from './engine.js';

export interface CommandInside {
  readonly engine: Engine;
  readonly container: RunningContainer;
  /** The value of CARREL_COMMAND_ID that all its processes carry. */
  readonly commandId: string;
  readonly graceMs: number;
}

/** How long an engine may take to start a command or to notice that it has ended. */
const SETTLE_MS = 5000;

/**
 * Ends a command and everything that it started; killing the engine's own `exec` would leave all of it running. Repeated
 * until the engine has seen the end, because a command that is only being started can't be found yet. Gives the pids that
 * could not be ended.
 */
export async function endCommand(inside: CommandInside, hasEnded: () => boolean): Promise<readonly number[]> {
  const deadline = performance.now() + SETTLE_MS + inside.graceMs;
  for (;;) {
    const survivors = await endOnce(inside);
    if (hasEnded() || survivors.length > 0 || performance.now() > deadline) return survivors;
    await delay(20);
  }
}

async function endOnce(inside: CommandInside): Promise<readonly number[]> {
  const { container, commandId, graceMs } = inside;
  if (!canLookInto(container)) return endFromInside(inside);
  // The marker alone leads to them: this process is not the root of that tree.
  const { survivors } = await killTree(
    { pid: process.pid, startedAt: 'another' },
    { graceMs, marker: commandId },
  );
  return survivors;
}

/** Of another user's processes, and of those in a virtual machine, the environment can't be read. */
function canLookInto({ main }: RunningContainer): boolean {
  return main !== undefined && readProcFile(main.pid, 'environ') !== undefined;
}

async function endFromInside({ engine, container, commandId, graceMs }: CommandInside): Promise<number[]> {
  const seconds = String(Math.ceil(graceMs / 1000));
  const words = ['sh', '-c', END_SCRIPT, 'sh', `CARREL_COMMAND_ID=${commandId}`, seconds];
  const result = await engine.call(['exec', container.id, ...words]);
  return result.stdout.toString('latin1').split(/\s+/).filter(Boolean).map(Number);
}

/** Asks, waits, kills, and prints who is left, by the pids of the container. */
const END_SCRIPT = `
find_all() {
  found=
  for place in /proc/[0-9]*; do
    grep -aqs "$marker" "$place/environ" && found="$found \${place#/proc/}"
  done
}
marker=$1
find_all
[ -n "$found" ] && kill -TERM $found 2>/dev/null
rest=$2
while find_all; [ -n "$found" ] && [ "$rest" -gt 0 ]; do sleep 1; rest=$((rest - 1)); done
for attempt in 1 2 3 4 5; do
  find_all
  [ -z "$found" ] && exit 0
  kill -KILL $found 2>/dev/null
  sleep 1
done
find_all
echo $found
`;
