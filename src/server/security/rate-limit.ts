export interface RateLimit {
  /** Takes one; gives how many seconds to wait when there is none, and 0 otherwise. */
  take(address: string): number;
}

/** So many addresses are remembered; an attacker that has more of them gets a full bucket for each, and no memory. */
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
      // Put in anew, so that the one that has been silent for longest is the first.
      buckets.delete(address);
      buckets.set(address, { left: left - 1, at });
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
      return 0;
    },
  };
}
