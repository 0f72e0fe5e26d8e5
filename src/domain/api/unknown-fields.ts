import { nearest } from '../text/nearest-word.js';

/** The names of all fields of an object that a caller passes, each with `true` or with those of the object in it. */
export type Fields<T> = {
  readonly [Name in keyof T]-?:
    | true
    | (NonNullable<T[Name]> extends object ? Fields<NonNullable<T[Name]>> : true);
};

export interface UnknownField {
  /** The object that has it, such as `workspaces.create` or `createTask.land`. */
  readonly at: string;
  readonly problem: string;
}

/** Finds what TypeScript misses in untyped programs or behind a spread. Needs no zod: browsers load it. */
export const findUnknownFields = <T extends object>(
  at: string,
  given: T,
  fields: Fields<T>,
): readonly UnknownField[] => find(at, given, fields as FieldNames);

type FieldNames = { readonly [name: string]: true | FieldNames };

function find(at: string, given: object, fields: FieldNames): readonly UnknownField[] {
  const unknown = Object.keys(given).filter(name => !Object.hasOwn(fields, name));
  const own = unknown.length > 0 ? [{ at, problem: describeUnknown(unknown, Object.keys(fields)) }] : [];
  const inner = Object.entries(given).flatMap(([name, value]) => {
    const below = Object.hasOwn(fields, name) ? fields[name] : true;
    return typeof below === 'object' && typeof value === 'object' && value !== null
      ? find(`${at}.${name}`, value, below)
      : [];
  });
  return [...own, ...inner];
}

/** For people: the field that was sent, and the accepted ones. */
export const describeUnknown = (names: readonly string[], known: readonly string[]): string =>
  names.map(name => `unknown field ${JSON.stringify(name)}; ${suggest(name, known)}`).join('; ');

function suggest(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  if (meant !== undefined) return `did you mean ${JSON.stringify(meant)}?`;
  return known.length === 0 ? 'expected none' : `expected one of ${known.join(', ')}`;
}
