import { isDeepStrictEqual } from 'node:util';
import type { ConfigFile, ConfigPart, ConfigValue, Edit, EditAction } from './config-file.js';
import { editHook } from './edit-hook.js';

export type JsonObject = Record<string, unknown>;

/**
 * The text of a JSON file with the parts added or taken out. Order and indentation stay. A file with comments is not
 * edited: they would be lost.
 */
export function editJson(text: string, { parts }: ConfigFile, action: EditAction): Edit {
  const before = parseObject(text);
  if (before === undefined)
    return { kind: 'impossible', problem: 'it is no plain JSON object; comments would be lost' };
  if (hasLongNumber(text)) return { kind: 'impossible', problem: 'it has a number that would be rounded' };
  const notes: string[] = [];
  const after = parts.reduce((document, part) => editPart(document, part, action, notes), before);
  if (isDeepStrictEqual(before, after)) return { kind: 'edited', text, notes };
  return { kind: 'edited', text: `${JSON.stringify(after, null, indentationOf(text))}\n`, notes };
}

function parseObject(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function editPart(document: JsonObject, part: ConfigPart, action: EditAction, notes: string[]): JsonObject {
  if (part.kind === 'hook') return editHook(document, part, action, notes);
  const [table, name] = part.path;
  const { [table]: found, ...others } = document;
  if (found !== undefined && !isObject(found)) {
    notes.push(`${table} is no object and was left as it is`);
    return document;
  }
  if (action === 'add')
    return { ...document, [table]: { ...found, [name]: merge(found?.[name], part.value) } };
  if (found === undefined || !(name in found)) return document;
  const { [name]: taken, ...rest } = found;
  return Object.keys(rest).length === 0 ? others : { ...document, [table]: rest };
}

/** What the user has added to our entry since, such as variables, stays. */
const merge = (found: unknown, value: ConfigValue): unknown =>
  isObject(found) && isObject(value) ? { ...found, ...value } : value;

const indentationOf = (text: string): string => /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  ';

/** Of more digits than JavaScript's numbers keep. */
const hasLongNumber = (text: string): boolean =>
  /\d[\d.]{15}/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
