import { html, type Markup } from '../../../batch/report/html/markup.js';
import { describeType } from './describe-type.js';
import type { Schema } from './document-schema.js';

/** Deeper fields only show their type. */
const DEEPEST = 3;

export function schemaSection(name: string, given: unknown): Markup {
  const schema = given as Schema;
  const [example] = schema.examples ?? [];
  return html`
    <article id="schema-${name}">
      <h3><a href="#schema-${name}">${name}</a></h3>
      ${schema.title || schema.description ? html`<p>${plain(schema.description ?? schema.title ?? '')}</p>` : null}
      ${listFields(schema).length > 0 ? fieldTable(schema) : html`<p>${describeType(schema)}</p>`}
      ${example === undefined ? null : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`}
    </article>`;
}

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

const fieldTable = (schema: Schema): Markup => html`
  <table>
    <thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead>
    <tbody>${listFields(schema).map(
      field => html`
        <tr>
          <th scope="row"><code>${field.name}</code>${field.isRequired ? null : html` <span class="faint">optional</span>`}</th>
          <td>${describeType(field.schema)}</td>
          <td>${plain(field.schema.description ?? '')}</td>
        </tr>`,
    )}</tbody>
  </table>`;

/** Includes the fields of nested objects, with dotted names; `[]` is each item of a list. */
function listFields(schema: Schema, prefix = '', depth = 0): Field[] {
  const parts = schema.allOf ?? [schema];
  return parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).flatMap(([key, child]) => {
      const name = `${prefix}${key}`;
      const field = { name, schema: child, isRequired: required.includes(key) };
      if (depth === DEEPEST) return [field];
      const inner = child.items
        ? listFields(child.items, `${name}[].`, depth + 1)
        : listFields(child, `${name}.`, depth + 1);
      return [field, ...inner];
    }),
  );
}

const plain = (text: string): string => text.replaceAll('`', '');
