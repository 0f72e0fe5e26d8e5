import { isCarrelError } from '../../../domain/error/error.js';
import { parseRepository } from './parse-repository.js';

/** Whether a parsed URL is at or below one that the server may fetch from. */
export const isAllowedUrl = (url: string, allowedUrls: readonly string[]): boolean =>
  allowedUrls.some(allowed => {
    const start = canonical(allowed);
    return start !== undefined && isBelow(url, start);
  });

/** `https://host` must not allow `https://host.example`, nor `/team` the neighbour `/team-two`. */
function isBelow(url: string, start: string): boolean {
  return url === start || url.startsWith(start.endsWith('/') ? start : `${start}/`);
}

/** A prefix as users write it: a URL, or `git@host:` without a path. Undefined if no URL can begin with it. */
function canonical(allowed: string): string | undefined {
  const host = /^([\w.-]+@)?([a-z0-9.-]+):?$/i.exec(allowed);
  if (host) return `ssh://${host[1] ?? ''}${host[2]?.toLowerCase()}`;
  try {
    const parsed = parseRepository(allowed);
    return parsed.kind === 'url' ? parsed.url.replace(/\/+$/, '') : undefined;
  } catch (error) {
    if (isCarrelError(error, 'REPOSITORY_NOT_ALLOWED')) return undefined;
    throw error;
  }
}
