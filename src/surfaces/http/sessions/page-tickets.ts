import { randomBytes } from 'node:crypto';

/** Lets a browser open one address directly, where a page cannot send the key of its session. */
export interface PageTickets {
  create(session: string, path: string): string;
  /** True once per ticket, before it expires, for its session and path. */
  redeem(ticket: string, session: string, path: string): boolean;
}

const LIFETIME_MS = 60_000;
/** The number of unused tickets. The oldest is dropped. */
const MOST = 100;

export function createPageTickets(now: () => number): PageTickets {
  const made = new Map<string, { readonly for: string; readonly expiresAt: number }>();
  return {
    create(session, path) {
      const ticket = randomBytes(24).toString('base64url');
      made.set(ticket, { for: `${session} ${path}`, expiresAt: now() + LIFETIME_MS });
      const [oldest] = made.keys();
      if (made.size > MOST && oldest !== undefined) made.delete(oldest);
      return ticket;
    },
    redeem(ticket, session, path) {
      const found = made.get(ticket);
      made.delete(ticket);
      return found !== undefined && found.for === `${session} ${path}` && found.expiresAt > now();
    },
  };
}
