/**
 * Merges `upper` over `lower`: mappings are merged key by key, everything else, including lists, is replaced. A key
 * without a value is ignored. Neither argument is changed, and `__proto__` is a key like any other.
 */
export function mergeValues(lower: unknown, upper: unknown): unknown {
  if (isEmpty(upper)) return lower;
  if (Array.isArray(upper)) return upper.map(item => (isMapping(item) ? mergeValues({}, item) : item));
  if (!isMapping(upper)) return upper;
  const below = isMapping(lower) ? lower : {};
  const laid = Object.entries(upper)
    .filter(([, value]) => !isEmpty(value))
    .map(([key, value]) => [key, mergeValues(findValue(below, [key]), value)] as const);
  return Object.fromEntries([...Object.entries(below), ...laid]);
}

/** The value at a path; undefined when there is none. */
export function findValue(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((parent, key) => {
    return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, key)
      ? (parent as Record<PropertyKey, unknown>)[key]
      : undefined;
  }, value);
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null;
