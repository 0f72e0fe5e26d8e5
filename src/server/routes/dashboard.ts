import type { Api } from '../api.js';
import type { Page } from '../load-pages.js';

/** Files whose name has a digest of their content never change. */
const HASHED = /^\/assets\//;

/** The pages in the browser, under every path that is nobody else's: which page a path means is decided there. */
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

/** What looks like a file and is not there stays missing; so does what the API would have. */
const isPagePath = (path: string): boolean => !/^\/(api|assets)(\/|$)/.test(path) && !/\.\w+$/.test(path);
