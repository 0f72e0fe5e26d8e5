import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** The time, updated every second: one clock for the whole page, which stops while the page is hidden. */
export function useNow(): number {
  return useSyncExternalStore(listen, () => now);
}

function listen(onChange: () => void): () => void {
  listeners.add(onChange);
  if (timer === undefined) {
    // It may have been stopped for long, and recent events would be in the future.
    now = Date.now();
    timer = setInterval(tick, TICK_MS);
  }
  return () => {
    listeners.delete(onChange);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  if (document.hidden) return;
  now = Date.now();
  for (const listener of listeners) listener();
}
