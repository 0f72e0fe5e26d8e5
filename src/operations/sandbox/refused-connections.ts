import { readFile } from 'node:fs/promises';
import { ignoreMissing } from '../../domain/error/error.js';
import type { RefusedConnection } from '../../domain/report/result.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';

/** The newest entries of the log. */
const MOST = 20;

/** Connections that the allowlist refused recently; nothing for a workspace without one. */
export async function listRefusedConnections(
  context: Pick<Context, 'sandboxes'>,
  record: WorkspaceRecord,
): Promise<RefusedConnection[]> {
  if (!record.sandbox) return [];
  const { refusedFile } = (await context.sandboxes()).placeOf(record.group?.id ?? record.id);
  const text = (await readFile(refusedFile, 'utf8').catch(ignoreMissing)) ?? '';
  return text
    .split('\n')
    .slice(-MOST - 1)
    .flatMap(parseLine);
}

/** A line truncated by a full disk is skipped. */
function parseLine(line: string): RefusedConnection[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
