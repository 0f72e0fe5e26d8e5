/**
 * A browser allows six connections to a server for all of its tabs, and a stream keeps one open: so only a visible page
 * has streams. Returns a function that ends it.
 */
export function doWhileVisible(perform: (signal: AbortSignal) => Promise<void>): () => void {
  let ending: AbortController | undefined;
  const change = () => {
    ending?.abort();
    ending = undefined;
    if (document.hidden) return;
    ending = new AbortController();
    void perform(ending.signal);
  };
  document.addEventListener('visibilitychange', change);
  change();
  return () => {
    document.removeEventListener('visibilitychange', change);
    ending?.abort();
  };
}
