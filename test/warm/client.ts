import { inject } from 'vitest';
import { type Channel, openChannel } from './channel.js';
import type { WarmCall } from './protocol.js';
import { SMALL_HEAP } from './small-heap.js';

export interface WarmOutcome {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starting Node and loading Carrel is most of what a short command takes. This process has one that is ready. */
let warm: Channel | undefined;

/** Runs a call in the warm process and waits for its end. One that is killed on the way is replaced for the next call. */
export function runWarm(call: WarmCall): WarmOutcome {
  warm ??= openChannel(process.execPath, [...SMALL_HEAP, inject('warmProgram')]);
  const { line, ...text } = warm.ask(`${JSON.stringify(call)}\n`);
  if (line !== '') return { status: Number(line), signal: null, ...text };
  warm.close();
  warm = undefined;
  return { status: null, signal: 'SIGKILL', ...text };
}
