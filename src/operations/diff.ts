import { carrelError } from '../domain/error.js';
import type { DiffFormat } from '../git/diff-arguments.js';
import type { WriteOutput } from '../git/write-output.js';
import type { Context } from './context.js';
import { findWorkspace, type WorkspaceQuery } from './find.js';
import { requireReady } from './require-ready.js';

export interface DiffInput extends WorkspaceQuery {
  readonly format: DiffFormat;
}

/** Everything that the workspace changes against its base, as a patch. `skipped` can't be in a patch. */
export async function diffWorkspace(
  context: Context,
  input: DiffInput,
  write: WriteOutput,
): Promise<{ skipped: readonly string[] }> {
  const record = await findWorkspace(context, input);
  const { diffing } = context.backends[record.backend];
  if (!diffing) throw carrelError('NOT_SUPPORTED', { what: 'be compared', backend: record.backend });
  await requireReady(context, record);
  return diffing.diff(record, input.format, write);
}
