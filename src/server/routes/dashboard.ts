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
    return c.body(page.content, 200, {
      'content-type': page.type,
      'cache-control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    });
  });
}

/** What looks like a file and is not there stays missing; so does what the API would have. */
const isPagePath = (path: string): boolean => !/^\/(api|assets)(\/|$)/.test(path) && !/\.\w+$/.test(path);
