import { carrelError, isCarrelError } from '../../domain/error/error.js';

/** What a field must be; `?` allows null. */
type Kind = 'string' | 'string?' | 'number' | 'boolean' | 'array' | 'object' | 'object?';

/** Names every field that a record must have, so that the compiler notices a forgotten one. */
export type Shape<T> = { readonly [Key in RequiredKeys<T>]: Kind };

type RequiredKeys<T> = { [Key in keyof T]-?: object extends Pick<T, Key> ? never : Key }[keyof T];

/** The location of a row, for the message when it is damaged. */
export interface RowPlace {
  readonly location: string;
  readonly table: string;
  readonly id: string | number;
}

/** Reads a JSON column. STORE_CORRUPT when it is not JSON, or not of the kind expected. */
export function parseJson<K extends 'object' | 'array'>(
  text: string,
  kind: K,
  place: RowPlace,
): K extends 'array' ? unknown[] : Record<string, unknown> {
  const value = parseOrUndefined(text);
  if (kindOf(value) !== kind) throw damaged(place, `it is not a JSON ${kind}`);
  return value as K extends 'array' ? unknown[] : Record<string, unknown>;
}

/**
 * Checks a record built from a row. Only the outer fields are checked: this finds damage and foreign changes, and the
 * full schemas would load zod into every command.
 */
export function requireShape<T>(record: Record<string, unknown>, shape: Shape<T>, place: RowPlace): T {
  for (const [key, kind] of Object.entries<Kind>(shape)) {
    const found = kindOf(record[key]);
    const isRight = kind.endsWith('?') ? found === 'null' || `${found}?` === kind : found === kind;
    if (!isRight) throw damaged(place, `${key} is ${found}, expected ${kind}`);
  }
  return record as T;
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A row that could not be read, and why. */
export interface UnreadableRow<Row> {
  readonly row: Row;
  readonly problem: string;
}

/** Reads every row separately, so that an unreadable one hides no other. */
export function sortRows<Row, T>(
  rows: readonly Row[],
  read: (row: Row) => T,
): { readonly sound: T[]; readonly damaged: UnreadableRow<Row>[] } {
  const sound: T[] = [];
  const damaged: UnreadableRow<Row>[] = [];
  for (const row of rows) {
    try {
      sound.push(read(row));
    } catch (error) {
      if (!isCarrelError(error, 'STORE_CORRUPT')) throw error;
      damaged.push({ row, problem: String(error.details.problem) });
    }
  }
  return { sound, damaged };
}

function damaged(place: RowPlace, problem: string): Error {
  return carrelError('STORE_CORRUPT', {
    file: place.location,
    row: `${place.table} ${place.id}`,
    problem: `row ${place.id} of ${place.table} cannot be read: ${problem}`,
  });
}
