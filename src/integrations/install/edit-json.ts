import { isDeepStrictEqual } from 'node:util';
import type { ConfigFile, ConfigPart, ConfigValue, Edit, EditAction } from './config-file.js';
import { editHook } from './edit-hook.js';
import { isObject, type JsonObject } from './json-object.js';

/**
 * The text of a JSON file with the entries added or removed. Order and indentation stay. A file with comments is not
 * edited: they would be lost.
 */
export function editJson(text: string, { parts }: ConfigFile, action: EditAction): Edit {
  const before = parseObject(text);
  if (before === undefined)
    return { kind: 'impossible', problem: 'it is not a plain JSON object; comments would be lost' };
  const notes: string[] = [];
  const after = parts.reduce((document, part) => editPart(document, part, action, notes), before);
  if (isDeepStrictEqual(before, after)) return { kind: 'edited', text, notes };
  if (!isSameAgain(text, before))
    return {
      kind: 'impossible',
      problem: 'it has keys or numbers that would change when the file is rewritten',
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

function editPart(document: JsonObject, part: ConfigPart, action: EditAction, notes: string[]): JsonObject {
  if (part.kind === 'hook') return editHook(document, part, action, notes);
  const [table, name] = part.path;
  const { [table]: found, ...others } = document;
  if (found !== undefined && !isObject(found)) {
    notes.push(`${table} is not an object and was not changed`);
    return document;
  }
  if (action === 'add')
    return { ...document, [table]: { ...found, [name]: merge(found?.[name], part.value) } };
  if (found === undefined || !(name in found)) return document;
  const { [name]: taken, ...rest } = found;
  return Object.keys(rest).length === 0 ? others : { ...document, [table]: rest };
}

/** What the user has added to our entry, such as variables, stays. */
const merge = (found: unknown, value: ConfigValue): unknown =>
  isObject(found) && isObject(value) ? { ...found, ...value } : value;

/**
 * Whether reading and writing loses nothing: it would lose duplicate keys, and numbers that JavaScript rounds. Numbers
 * that JavaScript wrote stay the same, however long.
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
