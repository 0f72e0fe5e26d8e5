import type { Call, Http } from './http.js';
import { pause } from './pause.js';
import { ProblemError, UnreachableError } from './problem-error.js';

export interface StreamedMessage {
  /** Sent by a later connection to continue after it. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** A server writes a comment every 15 seconds; a connection that is silent for longer is dead. */
const LONGEST_SILENCE_MS = 45_000;

/**
 * Server-Sent Events of one path. Reconnects after a broken connection and continues after the last message. Stops with
 * the message `end`, on the signal, or with a ProblemError.
 */
export async function* readEventStream(
  http: Http,
  path: string,
  call: Call & { readonly lastId?: string | undefined },
): AsyncGenerator<StreamedMessage, void, void> {
  let { lastId } = call;
  let pauseMs = SHORTEST_PAUSE_MS;
  while (!call.signal?.aborted) {
    try {
      for await (const message of readOnce(http, path, call, lastId)) {
        pauseMs = SHORTEST_PAUSE_MS;
        if (message.event === 'end') return;
        if (message.id !== '') lastId = message.id;
        // A message without data only has the position of the stream.
        if (message.data !== '') yield message;
      }
    } catch (error) {
      if (call.signal?.aborted) return;
      if (!isForNow(error)) throw error;
    }
    await pause(pauseMs, call.signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

/** No answer, or a server that is busy or restarting. */
const isForNow = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof ProblemError && [429, 503].includes(error.status));

async function* readOnce(
  http: Http,
  path: string,
  call: Call,
  lastId: string | undefined,
): AsyncGenerator<StreamedMessage, void, void> {
  const silence = new AbortController();
  const signal = call.signal ? AbortSignal.any([call.signal, silence.signal]) : silence.signal;
  let timer = setTimeout(() => silence.abort(), LONGEST_SILENCE_MS);
  try {
    const headers = {
      accept: 'text/event-stream',
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    };
    const response = await http.open(path, { ...call, headers, signal });
    const parser = createParser();
    for await (const text of decode(response, signal)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), LONGEST_SILENCE_MS);
      yield* parser.add(text);
    }
  } catch (error) {
    throw isBroken(error) ? new UnreachableError('the stream broke', { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** What `fetch` throws for a connection that broke or that we gave up. */
const isBroken = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && error.name === 'AbortError');

/** In Node 20, `fetch` may lose its signal to garbage collection once the answer has begun, so the reader checks it. */
async function* decode(response: Response, signal: AbortSignal): AsyncGenerator<string, void, void> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', leave);
    await reader.cancel().catch(() => undefined);
  }
}

/** Parses only what our server writes: `id`, `event` and one `data` per message. */
function createParser() {
  let rest = '';
  return {
    add(text: string): StreamedMessage[] {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      return blocks.map(parseBlock).filter(message => message !== undefined);
    },
  };
}

function parseBlock(block: string): StreamedMessage | undefined {
  const fields = new Map(
    block
      .split('\n')
      .filter(line => !line.startsWith(':'))
      .map(line => {
        const at = line.indexOf(':');
        return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const;
      }),
  );
  if (fields.size === 0) return undefined;
  return {
    id: fields.get('id') ?? '',
    event: fields.get('event') ?? 'message',
    data: fields.get('data') ?? '',
  };
}
