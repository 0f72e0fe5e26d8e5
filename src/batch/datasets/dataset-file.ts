import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { parseYaml, type YamlFile } from '../../config/files/parse-yaml.js';
import type { ConfigText } from '../../config/files/read-config-text.js';
import { requireValid } from '../../config/files/validate-yaml.js';
import { DatasetFileSchema, type EvalItem, EvalItemSchema } from '../../domain/batch/eval-item.js';
import { type CarrelError, carrelError, isCarrelError } from '../../domain/error/error.js';
import type { BrokenItem, Dataset } from './dataset.js';

/**
 * Files of Carrel's own format, together. An item that does not fit the schema is broken, with file, line and column;
 * DATASET_INVALID for a file that is not a list of items.
 */
export async function loadDatasetFiles(files: readonly string[]): Promise<Dataset> {
  const loaded = await Promise.all(files.map(loadOne));
  return {
    name: loaded.length === 1 ? (loaded[0]?.name ?? '') : '',
    format: 'carrel',
    items: loaded.flatMap(({ items }) => items),
    broken: loaded.flatMap(({ broken }) => broken),
  };
}

type LoadedFile = Pick<Dataset, 'name' | 'items' | 'broken'>;

async function loadOne(file: string): Promise<LoadedFile> {
  try {
    const source = parseYaml(await readText(file));
    const { name, items } = readFrame(source);
    const judged = items.map((_, index) => gradeItem(itemAt(source, items, index), index));
    return {
      name,
      items: judged.flatMap(result => ('item' in result ? [atHome(result.item, file)] : [])),
      broken: judged.flatMap(result => ('item' in result ? [] : [result.broken])),
    };
  } catch (error) {
    throw asDatasetError(error, file);
  }
}

async function readText(file: string): Promise<ConfigText> {
  return { file, text: (await readFile(file, 'utf8')).replace(/^\ufeff/, '') };
}

/** The file without its items. */
function readFrame(source: YamlFile): { readonly name: string; readonly items: readonly unknown[] } {
  const { items } = (source.value ?? {}) as { items?: unknown };
  const frame = Array.isArray(items) ? items.map(() => SOUND_ITEM) : items;
  const value = { ...(source.value as object), ...(items !== undefined && { items: frame }) };
  const { name } = requireValid(DatasetFileSchema, { ...source, value }) as { name: string };
  return { name, items: items as readonly unknown[] };
}

/** Replaces every item while the rest of the file is checked: one broken item must not break the file. */
const SOUND_ITEM: EvalItem = {
  id: 'item',
  description: 'item',
  base: { kind: 'files', files: {} },
  graders: [{ kind: 'command', run: 'true' }],
};

const itemAt = (source: YamlFile, items: readonly unknown[], index: number): YamlFile => ({
  file: source.file,
  value: items[index],
  positionOf: path => source.positionOf(['items', index, ...path]),
  keyPositionOf: path => source.keyPositionOf(['items', index, ...path]),
});

function gradeItem(
  source: YamlFile,
  index: number,
): { readonly item: EvalItem } | { readonly broken: BrokenItem } {
  try {
    return { item: requireValid(EvalItemSchema, source) as EvalItem };
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    const { id } = (source.value ?? {}) as { id?: unknown };
    const name = typeof id === 'string' && id !== '' ? id : `item ${index + 1} of ${basename(source.file)}`;
    return { broken: { id: name, reason: error.message } };
  }
}

/** Relative paths start at the directory of the file. */
function atHome(item: EvalItem, file: string): EvalItem {
  const home = dirname(file);
  const { base } = item;
  if (base.kind === 'directory')
    return { ...item, base: { ...base, directory: resolve(home, base.directory) } };
  if (base.kind === 'git' && /^\.{1,2}(\/|$)/.test(base.url))
    return { ...item, base: { ...base, url: resolve(home, base.url) } };
  return item;
}

/** The text of a configuration error without its location, which is in the details. */
function asDatasetError(error: unknown, file: string): unknown {
  if (error instanceof Error && 'syscall' in error)
    return carrelError('DATASET_INVALID', { file, problem: `cannot read it: ${error.message}` }, error);
  if (!isCarrelError(error, 'CONFIG_SYNTAX', 'CONFIG_INVALID', 'CONFIG_UNKNOWN_KEY')) return error;
  const { line, column } = error.details as { line?: number; column?: number };
  return carrelError('DATASET_INVALID', { file, line, column, problem: problemOf(error) }, error);
}

function problemOf({ message, details }: CarrelError): string {
  const place = `${details.file}:${details.line}:${details.column}: `;
  return message.startsWith(place) ? message.slice(place.length) : message;
}
