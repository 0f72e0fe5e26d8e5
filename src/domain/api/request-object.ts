import { z } from 'zod';
import { describeUnknown } from './unknown-fields.js';

/**
 * An object that a caller sends, with exactly these fields. An unknown field is refused, with a suggestion: ignoring a
 * mistyped `isolation` would run an agent without its sandbox.
 */
export function requestObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: issue => (issue.code === 'unrecognized_keys' ? describeUnknown(issue.keys, known) : undefined),
  });
}
