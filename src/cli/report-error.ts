import { type CarrelError, isCarrelError } from '../domain/error.js';
import { exitCodes } from './exit-code.js';
import { printable, printableLines } from './printable.js';
import type { Surroundings } from './session.js';
import { toCarrelError } from './unexpected-error.js';
import { formatRefusal } from './views/refusal.js';

/** Tells of a failure, once, and gives the exit status for it. */
export function reportError(
  thrown: unknown,
  { output, interruption, environment }: Surroundings,
  json: boolean,
): number {
  const error: CarrelError = isInterruption(thrown, interruption.signal)
    ? interruption.signal.reason
    : toCarrelError(thrown);
  if (json) output.json({ error });
  else output.narrateBlock(formatError(error, output.narrationColors));
  if (environment.CARREL_DEBUG === '1') output.narrateBlock(formatStacks(thrown));
  return interruption.exitCode() ?? exitCodes[error.kind];
}

/** Once interrupted, whatever is thrown that is not an error of ours on its own account comes from the interruption. */
function isInterruption(thrown: unknown, signal: AbortSignal): boolean {
  return signal.aborted && !isCarrelError(thrown);
}

type Paint = Readonly<Record<'red' | 'bold' | 'cyan', (text: string) => string>>;

function formatError(error: CarrelError, paint: Paint): string {
  const message = error.code === 'REMOVAL_REFUSED' ? formatRefusal(error) : printableLines(error.message);
  return `${paint.bold(paint.red('carrel:'))} ${message}\n${paint.cyan('hint:')} ${printable(error.hint)}`;
}

function formatStacks(thrown: unknown): string {
  const stacks: string[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause)
    stacks.push(printableLines(error.stack ?? error.message));
  return stacks.join('\ncaused by: ');
}
