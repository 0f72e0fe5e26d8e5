import { z } from '@hono/zod-openapi';
import type { Operation } from '../../../operations/operation.js';
import { isSet, queryFlag } from '../responses/route-parameters.js';

/** Booleans are `?flag`, with the names of the command line; numbers and lists are read from text. */
export const toQuery = (fields: Record<string, z.ZodType>): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) =>
      isFlag(field) ? [dashed(name), queryFlag(field.description ?? '')] : [name, fromText(field)],
    ),
  );

export function fromText(field: z.ZodType): z.ZodType {
  const { type, minimum, maximum } = z.toJSONSchema(field, { io: 'input' });
  if (type !== 'integer' && type !== 'array') return field;
  const text =
    type === 'array'
      ? z.string().min(1).describe(`${field.description}, separated by commas`)
      : z.coerce
          .number()
          .int()
          .min(minimum ?? Number.MIN_SAFE_INTEGER)
          .max(maximum ?? Number.MAX_SAFE_INTEGER)
          .describe(field.description ?? '');
  return field.safeParse(undefined).success ? text.optional() : text;
}

const isFlag = (field: z.ZodType): boolean =>
  field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodBoolean;

const isList = (field: z.ZodType): boolean =>
  (field instanceof z.ZodOptional ? field.unwrap() : field) instanceof z.ZodArray;

export const readQuery = ({ input }: Operation, query: object = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const field = input.shape[camel(name)] as z.ZodType | undefined;
      if (!field || value === undefined) return [field ? camel(name) : name, value];
      if (isFlag(field)) return [camel(name), isSet(value)];
      return [name, isList(field) ? readList(value) : value];
    }),
  );

const readList = (text: string): string[] => text.split(',').filter(part => part !== '');

const dashed = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
const camel = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
