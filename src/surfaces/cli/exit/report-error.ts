import { type CarrelError, isCarrelError } from '../../../domain/error/error.js';
import { sourceStack } from '../../../operations/diagnosis/source-stack.js';
import type { Surroundings } from '../cli-session.js';
import { printable, printableLines } from '../terminal/printable.js';
import { formatRefusal } from '../views/removal-refusal.js';
import { exitCodes } from './exit-code.js';
import { toCarrelError } from './unexpected-error.js';

/** Reports a failure once and returns its exit status. */
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

/** After an interruption, any other thrown value than a known error comes from the interruption. */
function isInterruption(thrown: unknown, signal: AbortSignal): boolean {
  return signal.aborted && !isCarrelError(thrown);
}

type Paint = Readonly<Record<'red' | 'bold' | 'cyan', (text: string) => string>>;

function formatError(error: CarrelError, paint: Paint): string {
  const isRefusal = ['REMOVAL_REFUSED', 'RESET_REFUSED'].includes(error.code);
  const message = isRefusal ? formatRefusal(error) : printableLines(error.message);
  return `${paint.bold(paint.red('carrel:'))} ${message}\n${paint.cyan('hint:')} ${printable(error.hint)}`;
}

function formatStacks(thrown: unknown): string {
  const stacks: string[] = [];
  for (let error = thrown; error instanceof Error; error = error.cause)
    stacks.push(printableLines(sourceStack(error)));
  return stacks.join('\ncaused by: ');
}
