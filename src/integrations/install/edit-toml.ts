import { isDeepStrictEqual } from 'node:util';
import { parseToml, type TomlTable } from '../../batch/datasets/task-directories/parse-toml.js';
import type { ConfigFile, ConfigPart, ConfigValue, Edit, EditAction } from './config-file.js';

type Entry = Extract<ConfigPart, { readonly kind: 'entry' }>;

/**
 * The text of a TOML file with a table added at its end or removed: no other line changes, including comments. The result
 * is parsed again and compared, so that a file with the table in an unusual form is not changed.
 */
export function editToml(text: string, { parts }: ConfigFile, action: EditAction): Edit {
  const [entry] = parts as readonly [Entry];
  const before = parse(text);
  if (before === undefined) return impossible('it is not valid TOML');
  const found = tableOf(before, entry);
  if (action === 'remove' && found === undefined) return unchanged(text);
  // What the user has added to our table, such as a timeout, stays.
  if (action === 'add' && isDeepStrictEqual({ ...found, ...(entry.value as object) }, found))
    return unchanged(text);
  const add = found === undefined ? appendTable : setFields;
  const after = action === 'remove' ? cutTable(text, entry) : add(text, entry, found);
  const expected = action === 'remove' ? removeFrom(before, entry) : addTo(before, entry);
  const isRight = isDeepStrictEqual(normalise(parse(after)), normalise(expected));
  if (!isRight) return impossible(`it has ${entry.path.join('.')} in a form that can't be edited safely`);
  return { kind: 'edited', text: after, notes: [] };
}

const impossible = (problem: string): Edit => ({ kind: 'impossible', problem });
const unchanged = (text: string): Edit => ({ kind: 'edited', text, notes: [] });

function parse(text: string): TomlTable | undefined {
  const reading = parseToml(text);
  return 'value' in reading ? reading.value : undefined;
}

const tableOf = (document: TomlTable, { path: [table, name] }: Entry): TomlTable | undefined =>
  (document[table] as TomlTable | undefined)?.[name] as TomlTable | undefined;

export function formatTable({ path, value }: Entry): string {
  const fields = Object.entries(value as Readonly<Record<string, ConfigValue>>);
  const lines = fields.map(([key, field]) => formatField(key, field));
  return [`[${path.join('.')}]`, ...lines, ''].join('\n');
}

/** Strings and lists of strings have the same syntax in JSON and TOML. */
const formatField = (key: string, field: ConfigValue): string => `${key} = ${JSON.stringify(field)}`;

function appendTable(text: string, entry: Entry): string {
  const above = text.trim() === '' ? '' : `${text.trimEnd()}\n\n`;
  return above + formatTable(entry);
}

/** Only the lines of fields that differ. */
function setFields(text: string, { path, value }: Entry, found: TomlTable = {}): string {
  const lines = text.split('\n');
  const start = findHeader(lines, path);
  for (const [key, field] of Object.entries(value as Readonly<Record<string, ConfigValue>>)) {
    if (start < 0 || isDeepStrictEqual(found[key], field)) continue;
    const isField = (line: string, index: number) => index > start && line.split('=')[0]?.trim() === key;
    const at = key in found ? lines.findIndex(isField) : -1;
    lines.splice(at < 0 ? start + 1 : at, at < 0 ? 0 : 1, formatField(key, field));
  }
  return lines.join('\n');
}

const findHeader = (lines: readonly string[], path: Entry['path']): number =>
  lines.findIndex(line => line.trim() === `[${path.join('.')}]`);

/** From its header to the next one, without the comments above the next one. */
function cutTable(text: string, { path }: Entry): string {
  const lines = text.split('\n');
  const start = findHeader(lines, path);
  if (start < 0) return text;
  const next = lines.findIndex((line, index) => index > start && line.trimStart().startsWith('['));
  let end = next < 0 ? lines.length : next;
  while (end > start + 1 && /^\s*(#.*)?$/.test(lines[end - 1] as string)) end -= 1;
  const kept = [...lines.slice(0, start), ...lines.slice(end).join('\n').replace(/^\n+/, '').split('\n')];
  return kept.join('\n').trim() === '' ? '' : `${kept.join('\n').trimEnd()}\n`;
}

function removeFrom(document: TomlTable, { path: [table, name] }: Entry): TomlTable {
  const { [name]: taken, ...rest } = document[table] as TomlTable;
  return { ...document, [table]: rest };
}

function addTo(document: TomlTable, { path: [table, name], value }: Entry): TomlTable {
  const tables = document[table] as TomlTable | undefined;
  const own = { ...(tables?.[name] as TomlTable | undefined), ...(value as TomlTable) };
  return { ...document, [table]: { ...tables, [name]: own } };
}

/** An empty table equals a missing one. */
const normalise = (document: TomlTable | undefined): unknown =>
  document &&
  Object.fromEntries(Object.entries(document).filter(([, value]) => !isDeepStrictEqual(value, {})));
