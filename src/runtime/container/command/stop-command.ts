import { setTimeout as delay } from 'node:timers/promises';
import { readProcFile } from '../../../exec/process/proc-table.js';
import { killTree } from '../../../exec/stop/kill-tree.js';
import type { Engine } from '../engine/engine.js';
import type { RunningContainer } from '../lifecycle/container-record.js';

export interface CommandInside {
  readonly engine: Engine;
  readonly container: RunningContainer;
  /** The value of CARREL_COMMAND_ID in all its processes. */
  readonly commandId: string;
  readonly graceMs: number;
}

/** How long an engine may take to start a command or to notice that it has exited. */
const ENGINE_DELAY_MS = 5000;

/**
 * Stops a command and everything that it started; killing the engine's own `exec` would leave all of it running.
 * Repeated until the engine has noticed the exit, because a command that is being started can't be found yet. Returns
 * the pids that could not be killed.
 */
export async function stopCommand(
  inside: CommandInside,
  hasEnded: () => boolean,
): Promise<readonly number[]> {
  const deadline = performance.now() + ENGINE_DELAY_MS + inside.graceMs;
  for (;;) {
    const survivors = await stopOnce(inside);
    if (hasEnded() || survivors.length > 0 || performance.now() > deadline) return survivors;
    await delay(20);
  }
}

async function stopOnce(inside: CommandInside): Promise<readonly number[]> {
  const { container, commandId, graceMs } = inside;
  if (!canLookInto(container)) return stopFromInside(inside);
  // They are found only by the marker: this process is not the root of that tree.
  const { survivors } = await killTree(
    { pid: process.pid, startedAt: 'another' },
    { graceMs, marker: commandId },
  );
  return survivors;
}

/** The environment of other users' processes, and of processes in a virtual machine, can't be read. */
function canLookInto({ main }: RunningContainer): boolean {
  return main !== undefined && readProcFile(main.pid, 'environ') !== undefined;
}

async function stopFromInside({ engine, container, commandId, graceMs }: CommandInside): Promise<number[]> {
  const seconds = String(Math.ceil(graceMs / 1000));
  const words = ['sh', '-c', STOP_SCRIPT, 'sh', `CARREL_COMMAND_ID=${commandId}`, seconds];
  const result = await engine.call(['exec', container.id, ...words]);
  return result.stdout.toString('latin1').split(/\s+/).filter(Boolean).map(Number);
}

/** Sends SIGTERM, waits, sends SIGKILL, and prints the survivors, by their pids in the container. */
const STOP_SCRIPT = `
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
