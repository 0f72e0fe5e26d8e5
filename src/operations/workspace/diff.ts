import { carrelError } from '../../domain/error/error.js';
import type { AutorunFile } from '../../domain/workspace/autorun-files.js';
import type { DiffFormat } from '../../git/diff/diff-arguments.js';
import type { WriteOutput } from '../../git/diff/write-output.js';
import type { Context } from '../context.js';
import { requireReady } from '../guard/require-ready.js';
import { whileReady } from '../guard/while-ready.js';
import { findWorkspace, type WorkspaceQuery } from './find-workspace.js';
import { addIgnored } from './list-autorun-files.js';

export interface DiffInput extends WorkspaceQuery {
  readonly format: DiffFormat;
}

export interface DiffResult {
  /** What can't be in a patch. */
  readonly skipped: readonly string[];
  /** Added or changed files that tools run automatically, ignored ones included. */
  readonly autorunFiles: readonly AutorunFile[];
}

/** Everything that the workspace changes against its base, as a patch. */
export async function diffWorkspace(
  context: Context,
  input: DiffInput,
  write: WriteOutput,
): Promise<DiffResult> {
  const record = await findWorkspace(context, input);
  const { diffing } = context.backends.of(record.backend);
  if (!diffing) throw carrelError('NOT_SUPPORTED', { what: 'be compared', backend: record.backend });
  await requireReady(context, record);
  return whileReady(context, record, async () => {
    const { skipped, changed } = await diffing.diff(record, input.format, write);
    return { skipped, autorunFiles: await addIgnored(context, record, changed) };
  });
}
