import { randomBytes } from 'node:crypto';

export interface LoginCodes {
  create(): string;
  /** True once per code, before it expires. */
  redeem(code: string): boolean;
}

const LIFETIME_MS = 10 * 60_000;
/** The number of unused links. The oldest is dropped. */
const MOST = 100;

/** Login codes for browsers. Kept in memory, so a restart invalidates them. */
export function createLoginCodes(now: () => number): LoginCodes {
  const expiries = new Map<string, number>();
  return {
    create() {
      const code = randomBytes(24).toString('base64url');
      expiries.set(code, now() + LIFETIME_MS);
      const [oldest] = expiries.keys();
      if (expiries.size > MOST && oldest !== undefined) expiries.delete(oldest);
      return code;
    },
    redeem(code) {
      const expiresAt = expiries.get(code);
      expiries.delete(code);
      return expiresAt !== undefined && expiresAt > now();
    },
  };
}
