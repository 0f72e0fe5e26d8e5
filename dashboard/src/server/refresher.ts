/** Loads now, soon, or every so often; never twice at once. */
export interface Refresher {
  now(): void;
  /** Many calls in a short time are one. */
  soon(): void;
  close(): void;
}

/** Events come in bursts: a workspace that is made tells of five. */
const BURST_MS = 250;
/** Of the time between two looks at most a tenth is spent with looking: a list of 1,000 workspaces takes seconds. */
const REST = 10;

export function createRefresher(load: (signal: AbortSignal) => Promise<void>, everyMs?: number): Refresher {
  const closing = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isLoading = false;
  let isWanted = false;
  let tookMs = 0;

  const plan = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
  // Nobody sees a page that is hidden; when it is shown again, its stream opens and all is asked for.
  const poll = (milliseconds: number) => {
    timer = setTimeout(() => (document.hidden ? poll(milliseconds) : void run()), milliseconds);
  };
  const run = async () => {
    clearTimeout(timer);
    timer = undefined;
    isWanted = isLoading;
    if (isLoading || closing.signal.aborted) return;
    isLoading = true;
    const begun = performance.now();
    await load(closing.signal);
    tookMs = performance.now() - begun;
    isLoading = false;
    if (closing.signal.aborted) return;
    if (isWanted) plan(Math.max(BURST_MS, tookMs));
    else if (everyMs !== undefined && timer === undefined) poll(Math.max(everyMs, REST * tookMs));
  };
  return {
    now: () => void run(),
    soon() {
      if (isLoading) isWanted = true;
      else plan(Math.max(BURST_MS, tookMs));
    },
    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}
