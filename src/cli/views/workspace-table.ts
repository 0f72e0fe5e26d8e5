import { formatSize } from '../../domain/quantity.js';
import type { WorkspaceDetails } from '../../domain/workspace.js';
import { alignColumns } from '../columns.js';
import { printable } from '../printable.js';
import { formatAgo } from './ago.js';
import { formatChanges, formatDistance, formatIsolation, formatStatus, UNKNOWN } from './workspace-state.js';

const HEADINGS = ['NAME', 'BRANCH', 'ISOLATION', 'STATUS', 'CHANGES', 'BASE', 'SIZE', 'PORT', 'ACTIVE'];

/** `carrel ls` for people: one line per workspace, with the repository when they are of several. */
export function formatWorkspaceTable(workspaces: readonly WorkspaceDetails[], now: number): string {
  const isMixed = new Set(workspaces.map(workspace => workspace.repository)).size > 1;
  const headings = isMixed ? [...HEADINGS, 'REPOSITORY'] : HEADINGS;
  const rows = workspaces.map(workspace => [
    ...formatRow(workspace, now),
    ...(isMixed ? [printable(workspace.repository)] : []),
  ]);
  return alignColumns([headings, ...rows]).join('\n');
}

function formatRow(workspace: WorkspaceDetails, now: number): string[] {
  const { name, branch, isolation, changes, sizeBytes, ports, lastActivityAt } = workspace;
  return [
    printable(name),
    branch === null ? UNKNOWN : printable(branch),
    formatIsolation(isolation),
    [formatStatus(workspace), ...countWarnings(workspace)].join(', '),
    formatChanges(changes),
    formatDistance(workspace),
    sizeBytes === null ? UNKNOWN : formatSize(sizeBytes),
    ports[0] === undefined ? UNKNOWN : String(ports[0]),
    formatAgo(lastActivityAt, now),
  ];
}

/** `carrel show` has the words. */
function countWarnings({ warnings }: WorkspaceDetails): string[] {
  return warnings.length === 0 ? [] : [`${warnings.length} warning${warnings.length === 1 ? '' : 's'}`];
}
