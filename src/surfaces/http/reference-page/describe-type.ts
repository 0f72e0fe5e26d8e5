import { html, type Markup } from '../../../batch/report/html/markup.js';
import { nameOfReference, type Schema } from './document-schema.js';

/** A short name of a type; a link if the type has its own section. */
export function describeType(schema: Schema): Markup {
  if (schema.$ref !== undefined) return link(nameOfReference(schema.$ref));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return joined(
      schema.enum.map(value => html`<code>${String(value)}</code>`),
      ', ',
    );
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return joined(choices.map(describeType), schema.allOf ? ' and ' : ' or ');
  if (schema.type === 'array') return html`list of ${describeType(schema.items ?? {})}`;
  if (typeof schema.additionalProperties === 'object')
    return html`mapping to ${describeType(schema.additionalProperties)}`;
  return html`${[schema.type ?? 'anything'].flat().join(' or ')}${schema.format ? ` (${schema.format})` : null}`;
}

const link = (name: string): Markup => html`<a href="#schema-${name}">${name}</a>`;

const joined = (parts: readonly Markup[], between: string): Markup =>
  html`${parts.map((part, index) => html`${index === 0 ? null : between}${part}`)}`;
