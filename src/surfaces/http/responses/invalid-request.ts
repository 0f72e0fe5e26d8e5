import type { z } from 'zod';
import { carrelError } from '../../../domain/error/error.js';

/** Called by zod-openapi after it has checked a part of a request. */
interface ValidationResult {
  readonly target: string;
  readonly success: boolean;
  readonly error?: z.core.$ZodError | undefined;
}

const partNames: Readonly<Record<string, string>> = { json: 'body', param: 'path' };

/** Refuses a request with an invalid path, query or body. */
export function invalidRequest({ target, success, error }: ValidationResult): void {
  if (success) return;
  const part = partNames[target] ?? target;
  const issues = (error?.issues ?? []).map(({ path, message }) => ({
    at: [part, ...path.map(String)].join('.'),
    problem: message,
  }));
  throw carrelError('REQUEST_INVALID', { issues });
}
