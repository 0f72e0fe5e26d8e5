import { findValue, isMapping } from '../files/merge-values.js';
import type { YamlFile } from '../files/parse-yaml.js';

/** Where a value comes from: a file and the line of its key, or the defaults. */
export interface Origin {
  readonly file: string | 'default';
  readonly line?: number;
  /** The key as a list, because a name in it may contain a dot. */
  readonly path: readonly string[];
}

/** The origin of every value, by dotted key. Lists are one value. `files` are strongest first. */
export function findOrigins(config: unknown, files: readonly YamlFile[]): Record<string, Origin> {
  const entries = listLeaves(config).map(path => [path.join('.'), findOrigin(path, files)] as const);
  return Object.fromEntries(entries);
}

function listLeaves(value: unknown): string[][] {
  if (!isMapping(value) || Object.keys(value).length === 0) return [[]];
  return Object.entries(value).flatMap(([key, child]) => listLeaves(child).map(rest => [key, ...rest]));
}

function findOrigin(path: readonly string[], files: readonly YamlFile[]): Origin {
  const source = files.find(file => (findValue(file.value, path) ?? null) !== null);
  return source
    ? { file: source.file, line: source.keyPositionOf(path).line, path }
    : { file: 'default', path };
}
