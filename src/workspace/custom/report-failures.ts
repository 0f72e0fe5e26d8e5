import { CarrelError, carrelError } from '../../domain/error/error.js';
import type { Backend } from '../backend.js';
import { BACKEND_METHODS, type BackendPart } from './require-backend.js';

type Method = (...args: unknown[]) => unknown;

/** The functions of a part of a user's backend; what they throw is BACKEND_FAILED with their name. */
export function reportFailures<Part extends BackendPart>(
  name: string,
  backend: Backend,
  part: Part,
): NonNullable<Backend[Part]>;
export function reportFailures(name: string, backend: Backend, part: 'own'): Backend;
export function reportFailures(name: string, backend: Backend, part: keyof typeof BACKEND_METHODS): object {
  const place = (part === 'own' ? backend : backend[part]) as unknown as Record<string, Method | undefined>;
  const { required, optional } = BACKEND_METHODS[part];
  const wrapped: Record<string, Method> = {};
  for (const method of [...required, ...optional]) {
    const call = part === 'own' ? method : `${part}.${method}`;
    if (place[method]) wrapped[method] = (...args) => attempt(name, call, () => place[method]?.(...args));
  }
  return wrapped;
}

function attempt(name: string, call: string, action: () => unknown): unknown {
  try {
    const result = action();
    return result instanceof Promise ? result.catch(error => rethrow(name, call, error)) : result;
  } catch (error) {
    return rethrow(name, call, error);
  }
}

/** Carrel's own errors say what they are about, and an abort is not a failure. */
function rethrow(name: string, call: string, error: unknown): never {
  if (error instanceof CarrelError || (error instanceof Error && error.name === 'AbortError')) throw error;
  throw failure(name, call, error instanceof Error ? error.message : String(error), error);
}

export const failure = (backend: string, call: string, problem: string, cause?: unknown): CarrelError =>
  carrelError('BACKEND_FAILED', { backend, call, problem }, cause);
