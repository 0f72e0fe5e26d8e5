/** A copy of a value of plain objects and arrays in which every string is mapped, keys included. Everything else stays unchanged. */
export function mapStrings<T>(value: T, map: (text: string) => string): T {
  return mapAny(value, map) as T;
}

function mapAny(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map(each => mapAny(each, map));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [map(key), mapAny(each, map)]));
}
