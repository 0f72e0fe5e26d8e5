import { formatAge } from './amounts.js';
import { useNow } from './use-now.js';

/** How long ago; the exact time on hover. */
export function Age({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {formatAge(at, now)}
    </time>
  );
}
