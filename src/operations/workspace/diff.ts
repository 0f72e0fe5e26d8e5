import { carrelError } from '../../domain/error/error.js';
import type { AutorunFile } from '../../domain/workspace/autorun-file.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { DiffFormat } from '../../git/diff/diff-arguments.js';
import type { WriteOutput } from '../../git/diff/write-output.js';
import type { Context } from '../context.js';
import { aliasOf, listParts } from '../group/group-records.js';
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

/** Everything that the workspace changes against its base, as a patch; with several repositories, the paths begin with the alias. */
export async function diffWorkspace(
  context: Context,
  input: DiffInput,
  write: WriteOutput,
): Promise<DiffResult> {
  const record = await findWorkspace(context, input);
  const parts = await listParts(context, record);
  if (parts.length === 1) return diffPart(context, record, input, write);
  // Nothing is written before it is known that all parts can be compared.
  for (const part of parts) await requireReady(context, part);
  const skipped: string[] = [];
  const autorunFiles: AutorunFile[] = [];
  for (const part of parts) {
    const alias = aliasOf(part);
    const found = await diffPart(context, part, input, write, alias);
    skipped.push(...found.skipped.map(path => `${alias}/${path}`));
    autorunFiles.push(...found.autorunFiles.map(file => ({ ...file, path: `${alias}/${file.path}` })));
  }
  return { skipped, autorunFiles };
}

async function diffPart(
  context: Context,
  record: WorkspaceRecord,
  { format }: DiffInput,
  write: WriteOutput,
  below?: string,
): Promise<DiffResult> {
  const { diffing } = context.backends.of(record.backend);
  if (!diffing) throw carrelError('NOT_SUPPORTED', { what: 'be compared', backend: record.backend });
  await requireReady(context, record);
  return whileReady(context, record, async () => {
    const { skipped, changed } = await diffing.diff(record, format, write, below);
    return { skipped, autorunFiles: await addIgnored(context, record, changed) };
  });
}
