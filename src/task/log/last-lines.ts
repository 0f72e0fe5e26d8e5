import type { LogLine } from '../../domain/task/log-line.js';

/** The end of a log; all of it without a number. */
export async function* lastOf(
  lines: AsyncIterable<LogLine>,
  count: number | undefined,
): AsyncGenerator<LogLine, void, void> {
  if (count === undefined) return yield* lines;
  const last: LogLine[] = [];
  for await (const line of lines) {
    last.push(line);
    if (last.length > count) last.shift();
  }
  yield* last;
}
