import type { AddRoutes } from '../api.js';
import { createOpenApiDocument } from './open-api-document.js';
import { REFERENCE_STYLES } from './reference-styles.js';
import { STYLES_PATH, writeReferencePage } from './write-page.js';

/** The reference of the API: public, needs no token, and is not listed among the operations. */
export const addReferenceRoutes: AddRoutes = (api, { version }) => {
  // Built at the first request, when all routes have been added.
  let document: ReturnType<typeof createOpenApiDocument> | undefined;
  const find = () => (document ??= createOpenApiDocument(api, version));
  const headers = { 'cache-control': 'no-cache' };
  api.get('/openapi.json', c => c.json(find(), 200, headers));
  api.get('/docs', c => c.html(writeReferencePage(find()), 200, headers));
  api.get(STYLES_PATH, c => c.body(REFERENCE_STYLES, 200, { ...headers, 'content-type': 'text/css' }));
};
