import type { ServerContext } from '@modelcontextprotocol/server';

export interface CallProgress {
  readonly tell: (message: string) => void;
  readonly close: () => void;
}

/** Clients give up on a call that is silent for a minute. */
const LONGEST_SILENCE_MS = 10_000;

/** Reports the progress of a call if the caller requested it: each message, and a reminder when there is none. */
export function openProgress(request: ServerContext['mcpReq']): CallProgress {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return { tell: () => undefined, close: () => undefined };
  const began = performance.now();
  let progress = 0;
  const tell = (message: string) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // The caller may be gone.
    request.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const remind = () => tell(`running for ${Math.round((performance.now() - began) / 1000)} s`);
  const reminder = setInterval(remind, LONGEST_SILENCE_MS);
  return { tell, close: () => clearInterval(reminder) };
}
