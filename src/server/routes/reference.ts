import type { AddRoutes } from '../api.js';
import { createOpenApiDocument } from '../reference-page/open-api-document.js';
import { REFERENCE_STYLES } from '../reference-page/styles.js';
import { STYLES_PATH, writeReferencePage } from '../reference-page/write-page.js';

/** The API about itself: the same for everybody, and without a token. Not among its own operations. */
export const addReferenceRoutes: AddRoutes = (api, { version }) => {
  // Made at the first request, when all parts have added their routes.
  let document: ReturnType<typeof createOpenApiDocument> | undefined;
  const find = () => (document ??= createOpenApiDocument(api, version));
  const headers = { 'cache-control': 'no-cache' };
  api.get('/openapi.json', c => c.json(find(), 200, headers));
  api.get('/docs', c => c.html(writeReferencePage(find()), 200, headers));
  api.get(STYLES_PATH, c => c.body(REFERENCE_STYLES, 200, { ...headers, 'content-type': 'text/css' }));
};
