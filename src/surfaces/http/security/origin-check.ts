import type { IncomingHttpHeaders } from 'node:http';
import { carrelError } from '../../../domain/error/error.js';

/**
 * Refuses requests that a page of another origin makes a browser send, also from another port of this machine. Programs
 * send neither header and are not affected.
 */
export function checkOrigin(headers: IncomingHttpHeaders, { isPage }: { readonly isPage: boolean }): void {
  const { origin, host } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, host))
    throw refused(`the origin ${JSON.stringify(origin)}`);
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  // A link from elsewhere may open a page: it sends no cookie, and shows nothing without one.
  if (isPage && headers['sec-fetch-mode'] === 'navigate') return;
  throw refused('another site');
}

/** For changes by a browser's session: the browser must send an origin, and it must be ours. */
export function requireOrigin({ origin }: IncomingHttpHeaders): void {
  if (origin === undefined) throw refused('a page that does not send its origin');
}

const refused = (from: string) => carrelError('REQUEST_REFUSED', { reason: `it comes from ${from}` });

/** https too, for a TLS proxy in front of the server. */
const isOwnOrigin = (origin: string, host: string | undefined): boolean =>
  host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
