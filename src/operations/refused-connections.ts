import { readFile } from 'node:fs/promises';
import { ignoreMissing } from '../domain/error.js';
import type { RefusedConnection } from '../domain/result.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Context } from './context.js';

/** Of the log, the newest. */
const MOST = 20;

/** What the network's allow-list refused lately; nothing for a workspace without one. */
export async function listRefusedConnections(
  context: Context,
  record: WorkspaceRecord,
): Promise<RefusedConnection[]> {
  if (!record.sandbox) return [];
  const { refusedFile } = (await context.sandboxes()).placeOf(record.id);
  const text = (await readFile(refusedFile, 'utf8').catch(ignoreMissing)) ?? '';
  return text
    .split('\n')
    .slice(-MOST - 1)
    .flatMap(parseLine);
}

/** One that was cut short by a full disk is no line. */
function parseLine(line: string): RefusedConnection[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
