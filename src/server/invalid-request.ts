import type { z } from 'zod';
import { carrelError } from '../domain/error.js';

/** What zod-openapi calls after it has looked at a part of a request. */
interface Verdict {
  readonly target: string;
  readonly success: boolean;
  readonly error?: z.core.$ZodError | undefined;
}

const partNames: Readonly<Record<string, string>> = { json: 'body', param: 'path' };

/** Refuses a request whose path, query or body is not what its route takes. */
export function invalidRequest({ target, success, error }: Verdict): void {
  if (success) return;
  const part = partNames[target] ?? target;
  const issues = (error?.issues ?? []).map(({ path, message }) => ({
    at: [part, ...path.map(String)].join('.'),
    problem: message,
  }));
  throw carrelError('REQUEST_INVALID', { issues });
}
