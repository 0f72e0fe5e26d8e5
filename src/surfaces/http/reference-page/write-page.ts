import { html, type Markup } from '../../../batch/report/html/markup.js';
import { METHODS, type OpenApiDocument, type Operation } from './open-api-document.js';
import { operationSection } from './operation-section.js';
import { schemaSection } from './schema-section.js';

/** The address of the styles: the content security policy forbids inline styles. */
export const STYLES_PATH = '/docs/reference.css';

interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The document as a page without scripts. Every operation and every schema has a link. */
export function writeReferencePage(document: OpenApiDocument): string {
  const operations = placeOperations(document);
  const groups = (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    own: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  const shown = groups.filter(({ own }) => own.length > 0);
  const schemas = Object.entries(document.components?.schemas ?? {}).sort(([a], [b]) => a.localeCompare(b));
  const page = html`
    <html lang="en">
      ${head(document)}
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <nav aria-label="Contents">${shown.map(navigation)}<h2><a href="#schemas">Schemas</a></h2></nav>
        <main id="content">
          <h1>${document.info.title} ${document.info.version}</h1>
          ${paragraphs(document.info.description ?? '')}
          <p>For programs: <a href="/openapi.json">openapi.json</a>, OpenAPI 3.1.</p>
          ${shown.map(group)}
          <section id="schemas"><h2>Schemas</h2>${schemas.map(([name, schema]) => schemaSection(name, schema))}</section>
        </main>
      </body>
    </html>`;
  return `<!DOCTYPE html>\n${page.markup}\n`;
}

const placeOperations = ({ paths = {} }: OpenApiDocument): PlacedOperation[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap(method => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );

const head = ({ info }: OpenApiDocument): Markup => html`
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <title>${info.title} ${info.version}: HTTP API</title>
    <link rel="stylesheet" href="${STYLES_PATH}">
  </head>`;

const paragraphs = (text: string): Markup[] =>
  text.split('\n\n').map(part => html`<p>${part.replaceAll('\n', ' ').replaceAll('`', '')}</p>`);

interface Group {
  readonly name: string;
  readonly description: string;
  readonly own: readonly PlacedOperation[];
}

const navigation = ({ name, own }: Group): Markup => html`
  <h2><a href="#${name}">${name}</a></h2>
  <ul>${own.map(
    ({ method, operation }) => html`
      <li><a href="#${operation.operationId ?? ''}"><span class="method ${method}">${method}</span> ${operation.operationId ?? ''}</a></li>`,
  )}</ul>`;

const group = ({ name, description, own }: Group): Markup => html`
  <section id="${name}">
    <h2>${name}</h2>
    <p>${description}.</p>
    ${own.map(({ method, path, operation }) => operationSection(method, path, operation))}
  </section>`;
