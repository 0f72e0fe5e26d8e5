/** An unknown object from a program's output. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object in a line; undefined for every other line, which is not an error. */
export function parseObject(line: string): JsonObject | undefined {
  const text = line.trimStart();
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const objectAt = (object: JsonObject | undefined, key: string): JsonObject | undefined => {
  const value = object?.[key];
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
};

/** The objects of a list; none when it is not a list. */
export const objectsAt = (object: JsonObject | undefined, key: string): readonly JsonObject[] => {
  const value = object?.[key];
  return Array.isArray(value) ? value.filter(item => typeof item === 'object' && item !== null) : [];
};

export const textAt = (object: JsonObject | undefined, key: string): string | undefined => {
  const value = object?.[key];
  return typeof value === 'string' ? value : undefined;
};

/** A valid figure: finite and not below 0. */
export const numberAt = (object: JsonObject | undefined, key: string): number | undefined => {
  const value = object?.[key];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
};

/** A whole number of tokens; 0 when they are not reported. */
export const tokensAt = (object: JsonObject | undefined, key: string): number =>
  Math.round(numberAt(object, key) ?? 0);
