/** A request as it was sent, and its answer. */
export interface RecordedCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly type: string;
  /** Parsed, where it is JSON and not a stream. */
  readonly body: unknown;
}

/** `fetch` that remembers. */
export function recordCalls(): { readonly calls: RecordedCall[]; readonly fetch: typeof globalThis.fetch } {
  const calls: RecordedCall[] = [];
  return {
    calls,
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
      const body = type.endsWith('json') ? await answer.clone().json() : undefined;
      const { pathname: path } = new URL(String(input));
      calls.push({ method: (init?.method ?? 'GET').toLowerCase(), path, status: answer.status, type, body });
      return answer;
    },
  };
}
