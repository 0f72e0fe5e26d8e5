import { runShell, type ShellOptions, type ShellPlace } from '../../attempt/run-shell.js';
import { parseDuration } from '../../domain/quantity/quantity.js';
import type { Expectation, ValidationResult } from '../../domain/workflow/validation.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import type { Context } from '../../operations/context.js';
import { examineFile, type FileExpectation, type Finding } from './examine-file.js';

export type ValidationOptions = Omit<ShellOptions, 'timeoutMs'>;

/**
 * Checks all expectations about the work, in the workspace and with its isolation. One that fails does
 * not stop the others; a cancel does, and then returns the results so far.
 */
export async function validateWork(
  context: Context,
  record: WorkspaceRecord,
  expectations: readonly Expectation[],
  options: ValidationOptions,
): Promise<ValidationResult[]> {
  const place = { environment: openEnvironment(context, record), redactor: context.redactor };
  const results: ValidationResult[] = [];
  for (const expectation of expectations) {
    const startedAt = context.now();
    const finding = await examine(place, record.path, expectation, options);
    if (options.signal?.aborted) break;
    const { kind } = expectation;
    const durationMs = Math.max(0, Math.round(context.now() - startedAt));
    results.push({ name: expectation.name ?? describe(expectation), kind, ...finding, durationMs });
  }
  return results;
}

function examine(
  place: ShellPlace,
  root: string,
  expectation: Expectation,
  options: ValidationOptions,
): Promise<Finding> {
  return 'run' in expectation
    ? examineCommand(place, expectation, options)
    : examineFile(root, expectation, options.signal);
}

async function examineCommand(
  place: ShellPlace,
  { run, timeout }: Extract<Expectation, { run: string }>,
  options: ValidationOptions,
): Promise<Finding> {
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  const { passed, ending, output } = await runShell(place, { text: run, timeoutMs, ...options });
  return passed
    ? { passed, detail: null }
    : { passed, detail: [`It ${ending}.`, output].join('\n').trimEnd() };
}

function describe(expectation: Expectation): string {
  return 'run' in expectation ? expectation.run : describeFileExpectation(expectation);
}

function describeFileExpectation(expectation: FileExpectation): string {
  const { kind, path } = expectation;
  if (kind === 'file-exists') return `${path} exists`;
  const wanted =
    expectation.text === undefined ? `/${expectation.pattern}/` : JSON.stringify(expectation.text);
  return `${path} ${kind === 'file-contains' ? 'contains' : 'does not contain'} ${wanted}`;
}
