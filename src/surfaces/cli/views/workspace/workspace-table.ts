import { formatSize } from '../../../../domain/text/format-quantity.js';
import type { WorkspaceDetails } from '../../../../domain/workspace/workspace.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { formatChanges, formatDistance, formatIsolation, formatStatus, UNKNOWN } from '../format-state.js';

const HEADINGS = ['NAME', 'BRANCH', 'ISOLATION', 'STATUS', 'CHANGES', 'BASE', 'SIZE', 'PORT', 'ACTIVE'];

/** `worktrees list` also has the task that a workspace belongs to. */
export interface ListedWorktree extends WorkspaceDetails {
  readonly workflowId?: string | null | undefined;
}

/** `carrel ls` as text: one line per workspace, with the repository if there are several. */
export function formatWorkspaceTable(workspaces: readonly ListedWorktree[], now: number): string {
  const isMixed = new Set(workspaces.map(workspace => workspace.repository)).size > 1;
  const hasWorkflows = workspaces.some(({ workflowId }) => typeof workflowId === 'string');
  const headings = [...HEADINGS, ...(hasWorkflows ? ['WORKFLOW'] : []), ...(isMixed ? ['REPOSITORY'] : [])];
  const rows = workspaces.map(workspace => [
    ...formatRow(workspace, now),
    ...(hasWorkflows ? [workspace.workflowId ?? UNKNOWN] : []),
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
    [formatStatus(workspace), ...countRepositories(workspace), ...countWarnings(workspace)].join(', '),
    formatChanges(changes),
    formatDistance(workspace),
    sizeBytes === null ? UNKNOWN : formatSize(sizeBytes),
    ports[0] === undefined ? UNKNOWN : String(ports[0]),
    formatAgo(lastActivityAt, now),
  ];
}

const countRepositories = ({ repositories }: WorkspaceDetails): string[] =>
  repositories ? [`${repositories.length} repositories`] : [];

/** `carrel show` has the texts. */
function countWarnings({ warnings }: WorkspaceDetails): string[] {
  return warnings.length === 0 ? [] : [`${warnings.length} warning${warnings.length === 1 ? '' : 's'}`];
}
