/** Loads now, soon, or every so often; never twice at once. */
export interface Refresher {
  now(): void;
  /** Many calls in a short time are one. */
  soon(): void;
  close(): void;
}

export interface RefresherOptions {
  /** For what nobody tells of. */
  readonly everyMs?: number | undefined;
  /** It takes the server long: being told of changes brings it no more often than looking for them would. */
  readonly isCostly?: boolean | undefined;
  /** How old an answer may be: one that came sooner after a change may not know of it, and is asked for again. */
  readonly oldestMs?: number | undefined;
  /** Nobody sees a page that is hidden, and nothing is looked for; when it is shown again, its stream opens. */
  readonly isHidden?: (() => boolean) | undefined;
}

/** Events come in bursts: a workspace that is made tells of five. */
const BURST_MS = 250;
/** Of the time between two looks at most a tenth is spent with looking: a list of 1,000 workspaces takes seconds. */
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
    // What is planned already stays: events that never cease would put it off for ever.
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
