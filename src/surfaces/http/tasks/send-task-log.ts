import type { LogLine } from '../../../domain/task/log-line.js';
import { lastOf } from '../../../task/log/last-lines.js';
import { readLog } from '../../../task/log/read-log.js';
import { END, type SentEvent, sendEvents } from '../events/server-sent-events.js';
import { streamTexts } from '../events/stream-texts.js';
import type { ServerContext } from '../server-context.js';

/** The log of a task as it grows: the id of a message is its line number. Stops with the task. */
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

/** The current log, in one of two formats. Only a small part is in memory at a time. */
export function sendLog(
  server: ServerContext,
  id: string,
  form: LogForm,
  tail: number | undefined,
): Response {
  const gone = new AbortController();
  const lines = readLog(server.app, { id, signal: gone.signal });
  const texts = format(lastOf(lines, tail), form);
  const body = streamTexts(texts, gone);
  return new Response(body, { headers: { 'content-type': TYPES[form], 'cache-control': 'no-store' } });
}

/** Many lines at a time: one piece per line would be slow. */
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
