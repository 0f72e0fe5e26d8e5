import { parseDuration } from '../domain/quantity.js';
import type { Expectation, ValidationResult } from '../domain/validation.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from '../operations/context.js';
import { examineFile, type FileExpectation, type Finding } from './examine-file.js';
import { type OnLine, runShell } from './run-shell.js';

export interface ValidationOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onLine?: OnLine | undefined;
}

/**
 * Looks whether all that is expected of the work is true, in the workspace and under its isolation. One that fails does
 * not keep the others from being looked at; a cancel does, and then the results so far are given.
 */
export async function validateWork(
  context: Context,
  record: WorkspaceRecord,
  expectations: readonly Expectation[],
  options: ValidationOptions,
): Promise<ValidationResult[]> {
  const results: ValidationResult[] = [];
  for (const expectation of expectations) {
    const startedAt = context.now();
    const finding = await examine(context, record, expectation, options);
    if (options.signal?.aborted) break;
    const { kind } = expectation;
    const durationMs = Math.max(0, Math.round(context.now() - startedAt));
    results.push({ name: expectation.name ?? describe(expectation), kind, ...finding, durationMs });
  }
  return results;
}

function examine(
  context: Context,
  record: WorkspaceRecord,
  expectation: Expectation,
  options: ValidationOptions,
): Promise<Finding> {
  return 'run' in expectation
    ? examineCommand(context, record, expectation, options)
    : examineFile(record.path, expectation, options.signal);
}

async function examineCommand(
  context: Context,
  record: WorkspaceRecord,
  { run, timeout }: Extract<Expectation, { run: string }>,
  options: ValidationOptions,
): Promise<Finding> {
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  const { passed, ending, output } = await runShell(context, record, { command: run, timeoutMs, ...options });
  return passed
    ? { passed, detail: null }
    : { passed, detail: [`It ${ending}.`, output].join('\n').trimEnd() };
}

function describe(expectation: Expectation): string {
  return 'run' in expectation ? expectation.run : describeFileExpectation(expectation);
}

function describeFileExpectation(expectation: FileExpectation): string {
  const { kind, path } = expectation;
  if (kind === 'file-exists') return `${path} is there`;
  const wanted =
    expectation.text === undefined ? `/${expectation.pattern}/` : JSON.stringify(expectation.text);
  return `${path} ${kind === 'file-contains' ? 'contains' : 'does not contain'} ${wanted}`;
}
