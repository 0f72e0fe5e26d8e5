import type { ServerContext } from '../server-context.js';
import { streamTexts } from './stream-texts.js';

export interface SentEvent {
  /** Sent by a later connection to continue after it. */
  readonly id?: string | number | undefined;
  /** One of our event names. */
  readonly event?: string | undefined;
  /** Sent as JSON, which has no line breaks. A message without it only has the position of the stream. */
  readonly data?: unknown;
}

/** The last message: the client does not reconnect. */
export const END: SentEvent = { event: 'end', data: {} };

/** Some proxies close connections that are silent for a minute, and only writing detects a dead connection. */
const HEARTBEAT_MS = 15_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/**
 * Server-Sent Events at the pace of the client. They stop when `produce` does, when the client disconnects, or when the
 * server stops.
 */
export function sendEvents(
  { stopping }: Pick<ServerContext, 'stopping'>,
  produce: (signal: AbortSignal) => AsyncIterable<SentEvent>,
): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, stopping]);
  const body = streamTexts(withHeartbeat(produce(signal), signal), gone);
  return new Response(body, { headers: HEADERS });
}

async function* withHeartbeat(
  events: AsyncIterable<SentEvent>,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const iterator = events[Symbol.asyncIterator]();
  // At once: before the first byte, an open stream looks like a server that does not answer.
  yield ': carrel\n\n';
  try {
    let next = iterator.next();
    while (!signal.aborted) {
      const result = await withinTime(next, HEARTBEAT_MS);
      if (result === undefined) {
        yield ': carrel\n\n';
        continue;
      }
      if (result.done) return;
      yield formatEvent(result.value);
      next = iterator.next();
    }
  } finally {
    await iterator.return?.();
  }
}

/** Undefined after a timeout. */
async function withinTime<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

function formatEvent({ id, event, data }: SentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
  ];
  return `${lines.join('\n')}\n\n`;
}
