import { z } from 'zod';

/** The dashboard's forms: what a request may say besides the id of its subject. */
export function listForms(operations, note) {
  const offered = operations.filter(({ operation }) => operation.http.method === 'post');
  const entries = offered.map(({ operation }) => {
    const { noun, verb, input, subject, http } = operation;
    const schema = z.toJSONSchema(input.extend(http.instead ?? {}), { io: 'input', unrepresentable: 'any' });
    const names = clientFields(input, http).filter(name => name !== subject);
    const fields = names.flatMap(name => toFormField(name, schema, operation) ?? []);
    if (subject === undefined && http.repository !== 'none') fields.push(REPOSITORY_FIELD);
    return `'${noun}.${verb}': ${JSON.stringify(fields)}`;
  });
  return [
    note,
    "import type { FormField } from './form-field.js';",
    '',
    '/** The fields of every operation that makes or changes something. */',
    `export const derivedForms = {\n${entries.join(',\n')}\n} satisfies Record<string, readonly FormField[]>;`,
    '',
  ].join('\n');
}

const REPOSITORY_FIELD = {
  name: 'repository',
  label: 'Repository',
  description: 'a directory in the repository',
  type: 'text',
  isRequired: false,
};

/** Undefined for a field that a form can't show. */
function toFormField(name, { properties, required = [] }, { commandLine }) {
  const negated = commandLine.options?.[name]?.negated;
  const { type, items, enum: choices, title, description, maximum } = properties[name];
  const { exclusiveMinimum, minimum = exclusiveMinimum } = properties[name];
  const form = choices ? 'choice' : FORM_TYPES[items?.type === 'string' ? 'words' : type];
  if (form === undefined) return undefined;
  return {
    name,
    label: title ?? inWords(name),
    description: negated ?? description ?? '',
    isNegated: negated === undefined ? undefined : true,
    type: form === 'text' && LONG_TEXTS.includes(name) ? 'lines' : form,
    isRequired: required.includes(name),
    choices,
    ...(form === 'number'
      ? { minimum: bound(minimum), maximum: bound(maximum), isWhole: type === 'integer' || undefined }
      : {}),
  };
}

const FORM_TYPES = { string: 'text', boolean: 'flag', integer: 'number', number: 'number', words: 'words' };
const LONG_TEXTS = ['description'];

/** The range of whole numbers is no bound that a user needs to know. */
function bound(value) {
  return Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** `newName` is "New name", `timeoutSeconds` is "Timeout (seconds)". */
function inWords(name) {
  const [, start, unit] = /^(.+?)(Seconds|Usd)?$/.exec(name);
  const words = capital(start.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`));
  return unit === undefined ? words : `${words} (${unit === 'Usd' ? 'USD' : unit.toLowerCase()})`;
}

/** Those that a request may have. */
export function clientFields(input, { without = {}, everywhere }) {
  return Object.keys(input.shape).filter(field => !(field in without) && !(everywhere && field === 'all'));
}

export function capital(name) {
  return name[0].toUpperCase() + name.slice(1);
}
