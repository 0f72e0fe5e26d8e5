import { type Fields, findUnknownFields } from '../../domain/api/unknown-fields.js';
import { type TaskDescriptor, TaskDescriptorSchema } from '../../domain/batch/task-descriptor.js';
import { carrelError } from '../../domain/error/error.js';
import type { AcquireOptions, TaskEnvironment } from '../isolation-provider.js';

/** REQUEST_INVALID with the name of the field, what it is and what was expected. */
export function checkTask(call: string, task: TaskDescriptor): void {
  const parsed = TaskDescriptorSchema.safeParse(task);
  if (parsed.success) return;
  const issues = parsed.error.issues.map(({ path, message }) => ({
    at: [call, ...path].join('.'),
    problem: message,
  }));
  throw carrelError('REQUEST_INVALID', { issues });
}

export function checkTasks(tasks: readonly TaskDescriptor[]): void {
  if (!Array.isArray(tasks)) {
    const expected = 'a list of task descriptors';
    throw carrelError('INVALID_INPUT', { what: 'the argument of init()', found: describe(tasks), expected });
  }
}

/** Refuses unknown options, which JavaScript would ignore, and a time limit that is none. */
export function checkOptions<T extends object>(call: string, options: T, fields: Fields<T>): void {
  const issues = findUnknownFields(`${call}.options`, options, fields);
  if (issues.length > 0) throw carrelError('REQUEST_INVALID', { issues });
  const { timeoutMs } = options as AcquireOptions;
  if (timeoutMs === undefined || (typeof timeoutMs === 'number' && timeoutMs >= 0)) return;
  const what = `timeoutMs of ${call}()`;
  throw carrelError('INVALID_INPUT', {
    what,
    found: describe(timeoutMs),
    expected: 'milliseconds, 0 or more',
  });
}

/** A value that a program passed, for a message. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object') return JSON.stringify(value) ?? String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

export function describeEnvironment(value: TaskEnvironment): string {
  const id = (value as TaskEnvironment | undefined)?.id;
  return typeof id === 'string' ? `the environment ${id}` : describe(value);
}
