import { html, type Markup } from '../../../batch/report/html/markup.js';
import { describeType } from './describe-type.js';
import type { Schema } from './document-schema.js';
import type { Operation } from './open-api-document.js';

export const operationSection = (method: string, path: string, operation: Operation): Markup => html`
  <article id="${operation.operationId ?? ''}">
    <h3><a href="#${operation.operationId ?? ''}"><span class="method ${method}">${method}</span> <code>${path}</code></a></h3>
    <p>${plain(operation.summary ?? '')}.</p>
    ${operation.description ? html`<p>${plain(operation.description)}</p>` : null}
    ${parameters(operation)}
    ${body(operation)}
    ${answers(operation)}
  </article>`;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

function parameters({ parameters: given = [] }: Operation): Markup | null {
  const own = given.filter(each => 'name' in each) as readonly Parameter[];
  if (own.length === 0) return null;
  return html`
    <table>
      <thead><tr><th>Parameter</th><th>In</th><th>Type</th><th>Meaning</th></tr></thead>
      <tbody>${own.map(
        each => html`
          <tr>
            <th scope="row"><code>${each.name}</code>${each.required ? html` <span class="faint">required</span>` : null}</th>
            <td>${each.in}</td>
            <td>${describeType(each.schema ?? {})}</td>
            <td>${plain(each.description ?? each.schema?.description ?? '')}</td>
          </tr>`,
      )}</tbody>
    </table>`;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

function body({ requestBody }: Operation): Markup | null {
  if (!requestBody || !('content' in requestBody)) return null;
  const need = requestBody.required ? 'required' : 'optional';
  return html`<p>Body: ${contentOf(requestBody.content as Content)} <span class="faint">(${need})</span></p>`;
}

const contentOf = (content: Content): Markup[] =>
  Object.entries(content).map(
    ([type, { schema = {} }]) =>
      html`<code>${type}</code> ${type.endsWith('json') ? describeType(schema) : null} `,
  );

interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

function answers({ responses }: Operation): Markup {
  // Without the errors that every operation has.
  const own = Object.entries<Answer>(responses ?? {}).filter(([, answer]) => answer.$ref === undefined);
  return html`
    <table>
      <thead><tr><th>Answer</th><th>Content</th><th>Meaning</th></tr></thead>
      <tbody>${own.map(
        ([status, answer]) => html`
          <tr>
            <th scope="row">${status}</th>
            <td>${contentOf(answer.content ?? {})}</td>
            <td>${plain(answer.description ?? '')}</td>
          </tr>`,
      )}</tbody>
    </table>`;
}

/** Descriptions are written for Markdown. */
const plain = (text: string): string => text.replaceAll('`', '');
