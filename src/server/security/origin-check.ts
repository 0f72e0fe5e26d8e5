import type { IncomingHttpHeaders } from 'node:http';
import { carrelError } from '../../domain/error.js';

/**
 * Refuses what a page of another origin makes a browser send, also one on another port of this machine. Programs send
 * neither header and are not concerned.
 */
export function checkOrigin(headers: IncomingHttpHeaders, { isPage }: { readonly isPage: boolean }): void {
  const { origin, host } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, host))
    throw refused(`the origin ${JSON.stringify(origin)}`);
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  // A link from elsewhere may lead to a page: it carries no cookie, and shows nothing without one.
  if (isPage && headers['sec-fetch-mode'] === 'navigate') return;
  throw refused('another site');
}

/** For what changes something in the name of a browser's session: its browser says from where, and it is from here. */
export function requireOrigin({ origin }: IncomingHttpHeaders): void {
  if (origin === undefined) throw refused('a page that does not say its origin');
}

const refused = (from: string) => carrelError('REQUEST_REFUSED', { reason: `it comes from ${from}` });

/** https too: something that ends TLS may stand before the server. */
const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
