import { parseDuration } from '../../../domain/quantity/quantity.js';

const DEFAULT_MS = 10 * 60_000;

/** Milliseconds that a grader may take. */
export const graderLimit = ({ timeout }: { readonly timeout?: string | undefined }): number =>
  timeout === undefined ? DEFAULT_MS : parseDuration(timeout);
