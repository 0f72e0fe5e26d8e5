import type { Api } from '../api.js';
import type { Page } from './load-pages.js';

/** Files whose name has a digest of their content never change. */
const HASHED = /^\/assets\//;

/** The pages of the dashboard, for every path without another route. The browser decides which page to show. */
export function addDashboardRoutes(api: Api, pages: ReadonlyMap<string, Page>): void {
  api.get('*', async (c, next) => {
    const { path } = c.req;
    const page = pages.get(path) ?? (isPagePath(path) ? pages.get('/index.html') : undefined);
    if (!page) return next();
    const packed = takesGzip(c.req.header('accept-encoding')) ? page.packed() : null;
    return c.body(packed ?? page.content, 200, {
      'content-type': page.type,
      vary: 'accept-encoding',
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
      'cache-control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
  });
}

const takesGzip = (accepted = ''): boolean =>
  /(^|,)\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(accepted);

/** A missing file stays missing, and so does an unknown path of the API. */
const isPagePath = (path: string): boolean => !/^\/(api|assets)(\/|$)/.test(path) && !/\.\w+$/.test(path);
