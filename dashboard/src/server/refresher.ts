/** Loads now, soon, or at intervals; never twice at once. */
export interface Refresher {
  now(): void;
  /** Several calls in a short time cause one load. */
  soon(): void;
  close(): void;
}

export interface RefresherOptions {
  /** For changes without events. */
  readonly everyMs?: number | undefined;
  /** The request is expensive: events cause it no more often than polling would. */
  readonly isCostly?: boolean | undefined;
  /** How old a response may be: one that came sooner after a change may miss it, and is requested again. */
  readonly oldestMs?: number | undefined;
  /** A hidden page does not poll; when it is shown again, its stream opens. */
  readonly isHidden?: (() => boolean) | undefined;
}

/** Events come in bursts: creating a workspace sends five. */
const BURST_MS = 250;
/** Loading takes at most a tenth of the time between two loads: a list of 1,000 workspaces takes seconds. */
const REST = 10;

export function createRefresher(
  load: (signal: AbortSignal) => Promise<void>,
  { everyMs, isCostly = false, oldestMs = 0, isHidden = () => false }: RefresherOptions = {},
): Refresher {
  const closing = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isPlanned = false;
  let isLoading = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  let restUntil = Number.NEGATIVE_INFINITY;

  const plan = (earliest: number) => {
    clearTimeout(timer);
    isPlanned = true;
    timer = setTimeout(run, Math.max(BURST_MS, Math.max(earliest, restUntil) - performance.now()));
  };
  const poll = (milliseconds: number) => {
    timer = setTimeout(() => (isHidden() ? poll(milliseconds) : void run()), milliseconds);
  };
  const run = async () => {
    clearTimeout(timer);
    isPlanned = false;
    if (isLoading) toldAt = performance.now();
    if (isLoading || closing.signal.aborted) return;
    isLoading = true;
    const begunAt = performance.now();
    await load(closing.signal);
    isLoading = false;
    if (closing.signal.aborted) return;
    const tookMs = performance.now() - begunAt;
    restUntil = performance.now() + (isCostly ? REST : 1) * tookMs;
    if (toldAt + oldestMs > begunAt) plan(toldAt + oldestMs);
    else if (everyMs !== undefined) poll(Math.max(everyMs, REST * tookMs));
  };
  return {
    now: () => void run(),
    // A planned load stays planned: continuous events would postpone it forever.
    soon() {
      toldAt = performance.now();
      if (!isLoading && !isPlanned) plan(toldAt);
    },
    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}
