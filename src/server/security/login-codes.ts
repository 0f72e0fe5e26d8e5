import { randomBytes } from 'node:crypto';

export interface LoginCodes {
  create(): string;
  /** True once for each code, within its time. */
  redeem(code: string): boolean;
}

const LIFETIME_MS = 10 * 60_000;
/** Links that nobody has opened yet. The oldest gives way. */
const MOST = 100;

/** Codes that let a browser in. Kept in memory: a restart ends them. */
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
