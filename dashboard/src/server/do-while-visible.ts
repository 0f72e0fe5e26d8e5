/**
 * A browser keeps six connections to a server for all of its tabs, and a stream holds one for good: so only a page that
 * is looked at has streams. Gives what ends it.
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
