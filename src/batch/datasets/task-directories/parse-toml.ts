import { parse, TomlDate, TomlError } from 'smol-toml';

export type TomlValue = string | number | boolean | TomlValue[] | TomlTable;
export interface TomlTable {
  [key: string]: TomlValue;
}

export type TomlReading = { readonly value: TomlTable } | { readonly line: number; readonly problem: string };

/** Reads TOML 1.1. Dates become text. */
export function parseToml(text: string): TomlReading {
  try {
    return { value: datesToText(parse(text.replace(/^\ufeff/, ''))) as TomlTable };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { line: error.line, problem: firstLine(error.message) };
  }
}

function datesToText(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(datesToText);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, datesToText(inner)]));
}

/** After this line the library prints the source lines around the error. */
const firstLine = (message: string): string =>
  (message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
