export interface RateLimit {
  /** Takes a token. Returns 0, or the seconds to wait if there is none. */
  take(address: string): number;
}

/** The number of addresses to remember. An attacker with more addresses gets full buckets, but uses no more memory. */
const MOST_ADDRESSES = 10_000;

/** A bucket for each address: `burst` at once, and `perSecond` in the long run. */
export function createRateLimit(options: {
  readonly perSecond: number;
  readonly burst: number;
  readonly now: () => number;
}): RateLimit {
  const { perSecond, burst, now } = options;
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  const leftIn = (address: string, at: number): number => {
    const bucket = buckets.get(address);
    return bucket ? Math.min(burst, bucket.left + ((at - bucket.at) / 1000) * perSecond) : burst;
  };
  return {
    take(address) {
      const at = now();
      const left = leftIn(address, at);
      if (left < 1) return Math.ceil((1 - left) / perSecond);
      // Reinserted, so that the address that has been silent longest comes first.
      buckets.delete(address);
      buckets.set(address, { left: left - 1, at });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
      return 0;
    },
  };
}
