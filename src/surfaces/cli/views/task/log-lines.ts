import type { LogLine } from '../../../../domain/task/log-line.js';
import { cleanLine } from '../../terminal/clean-line.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';

/** Shown for a line without a stage. */
const TASK = 'task';
const COLOURS = ['cyan', 'magenta', 'blue', 'yellow', 'green'] as const;

/** `12:03:04 planning  started (planner)`; the output of a command has a bar before it. Each stage has its own colour. */
export function createLogFormatter(stages: readonly string[], paint: Paint): (line: LogLine) => string {
  const names = [TASK, ...stages];
  const width = Math.max(...names.map(name => printable(name).length));
  return ({ at, stage, stream, text }) => {
    const index = stage === null ? -1 : stages.indexOf(stage);
    const name = printable(stage ?? TASK).padEnd(width);
    const colour = COLOURS[index % COLOURS.length];
    const prefix = `${paint.dim(formatTime(at))} ${colour ? paint[colour](name) : paint.dim(name)}`;
    return `${prefix}  ${stream === 'carrel' ? cleanLine(text) : `${paint.dim('|')} ${cleanLine(text)}`}`;
  };
}

/** Local time. */
function formatTime(at: string): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map(part => String(part).padStart(2, '0'))
    .join(':');
}
