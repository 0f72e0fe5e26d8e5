import { z } from 'zod';

/** The keys that a mapping at this path may have; none where any key is allowed or where there is no mapping. */
export function listKnownKeys(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const place = unwrap(path.reduce<z.core.$ZodType | undefined>(descend, schema));
  return [...new Set(listObjects(place).flatMap(({ shape }) => Object.keys(shape)))];
}

/** A mapping with several variants may have the keys of any of them. */
function listObjects(schema: z.core.$ZodType | undefined): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  return schema instanceof z.ZodDiscriminatedUnion ? schema.options.flatMap(listObjects) : [];
}

function descend(schema: z.core.$ZodType | undefined, step: PropertyKey): z.core.$ZodType | undefined {
  const place = unwrap(schema);
  if (place instanceof z.ZodObject) return place.shape[String(step)];
  if (place instanceof z.ZodRecord) return place.valueType;
  if (place instanceof z.ZodArray) return place.element;
  return undefined;
}

function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrap(schema.unwrap());
  }
  return schema;
}
