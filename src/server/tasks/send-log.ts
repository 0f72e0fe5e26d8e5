import type { LogLine } from '../../domain/log-line.js';
import { readLog } from '../../task/read-log.js';
import type { ServerContext } from '../server-context.js';
import { END, type SentEvent, sendEvents } from '../server-sent-events.js';
import { streamTexts } from '../stream-texts.js';

/** The log of a task as it grows: the id of a message is the number of its line. Ends with the task. */
export function followLog(server: ServerContext, id: string, after: number): Response {
  return sendEvents(server, signal => newLines(server, id, after, signal));
}

async function* newLines(
  { app }: ServerContext,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<SentEvent, void, void> {
  let number = 0;
  for await (const line of readLog(app, { id, follow: true, signal })) {
    number += 1;
    if (number > after) yield { id: number, event: 'line', data: line };
  }
  if (!signal.aborted) yield END;
}

export type LogForm = 'json' | 'lines';

const TYPES = { json: 'application/json', lines: 'application/x-ndjson' } as const;

/** The log as it is now, in one of two forms. However long it is, little of it is held. */
export function sendLog(
  server: ServerContext,
  id: string,
  form: LogForm,
  tail: number | undefined,
): Response {
  const gone = new AbortController();
  const lines = readLog(server.app, { id, signal: gone.signal });
  const texts = format(tail === undefined ? lines : lastOf(lines, tail), form);
  const body = streamTexts(texts, gone);
  return new Response(body, { headers: { 'content-type': TYPES[form], 'cache-control': 'no-store' } });
}

/** Many lines at a time: a piece for each would take most of the time. */
const PIECE_CHARACTERS = 64 * 1024;

async function* format(lines: AsyncIterable<LogLine>, form: LogForm): AsyncGenerator<string, void, void> {
  let piece = form === 'json' ? '[' : '';
  let isFirst = true;
  for await (const line of lines) {
    const text = JSON.stringify(line);
    piece += form === 'lines' ? `${text}\n` : `${isFirst ? '' : ','}${text}`;
    isFirst = false;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield form === 'json' ? `${piece}]` : piece;
}

async function* lastOf(lines: AsyncIterable<LogLine>, count: number): AsyncGenerator<LogLine, void, void> {
  const last: LogLine[] = [];
  for await (const line of lines) {
    last.push(line);
    if (last.length > count) last.shift();
  }
  yield* last;
}
