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
  const notes: string[] = [];
  const after = parts.reduce((document, part) => editPart(document, part, action, notes), before);
  if (isDeepStrictEqual(before, after)) return { kind: 'edited', text, notes };
  if (!isSameAgain(text, before))
    return {
      kind: 'impossible',
      problem: 'it has keys or numbers that would not be written back as they are',
    };
  return { kind: 'edited', text: format(after, text), notes };
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

export const isObject = (value: unknown): value is JsonObject =>
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

/**
 * Whether nothing is lost by reading and writing: keys that are there twice, and numbers that JavaScript rounds. Those that
 * JavaScript wrote, however long, are the same again.
 */
const isSameAgain = (text: string, document: JsonObject): boolean =>
  text.trim() === '' || withoutLayout(text) === JSON.stringify(document);

const withoutLayout = (text: string): string =>
  text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|\s+/g, part =>
    part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : '',
  );

function format(document: JsonObject, before: string): string {
  const indentation = /^[ \t]+(?=")/m.exec(before)?.[0] ?? '  ';
  const text = `${JSON.stringify(document, null, indentation)}\n`;
  return before.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
}
