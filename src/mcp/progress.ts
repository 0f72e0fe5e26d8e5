import type { ServerContext } from '@modelcontextprotocol/server';

export interface CallProgress {
  readonly tell: (message: string) => void;
  readonly close: () => void;
}

/** Clients give up on a call that is silent for a minute. */
const LONGEST_SILENCE_MS = 10_000;

/** Says how far a call is, when its caller asked for that: what is told, and that it goes on when nothing is. */
export function openProgress(request: ServerContext['mcpReq']): CallProgress {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return { tell: () => undefined, close: () => undefined };
  const began = performance.now();
  let progress = 0;
  const tell = (message: string) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // Whoever is gone need not be told.
    request.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const remind = () => tell(`going on for ${Math.round((performance.now() - began) / 1000)} s`);
  const reminder = setInterval(remind, LONGEST_SILENCE_MS);
  return { tell, close: () => clearInterval(reminder) };
}
