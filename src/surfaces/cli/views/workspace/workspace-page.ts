import type { RefusedConnection } from '../../../../domain/report/result.js';
import type { Snapshot } from '../../../../domain/snapshot/snapshot.js';
import { formatSize } from '../../../../domain/text/format-quantity.js';
import type { AutorunFile } from '../../../../domain/workspace/autorun-file.js';
import { describeAutorunFile } from '../../../../domain/workspace/autorun-files.js';
import type { Risk } from '../../../../domain/workspace/risk.js';
import type { Population, WorkspaceDetails } from '../../../../domain/workspace/workspace.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { formatChanges, formatDistance, formatIsolation, formatStatus, UNKNOWN } from '../format-state.js';
import { formatRisk } from '../removal-refusal.js';
import { section } from '../section.js';
import { formatSnapshotTable } from './snapshot-table.js';

export interface WorkspacePage extends WorkspaceDetails {
  readonly risks: readonly Risk[];
  readonly refusedConnections: readonly RefusedConnection[];
  readonly autorunFiles: readonly AutorunFile[];
  readonly snapshots: readonly Snapshot[];
}

/** `carrel show` as text: facts, then the risks of removal, then the snapshots. */
export function formatWorkspacePage(workspace: WorkspacePage, now: number): string {
  const facts = alignColumns(listFacts(workspace, now).map(([key, value]) => [key, printable(value)]));
  return [
    facts.join('\n'),
    ...section('Repositories', listRepositories(workspace)),
    ...section('Warnings', workspace.warnings.map(printable)),
    ...section('Removing it would risk', workspace.risks.flatMap(formatRisk)),
    ...section(
      'Changed files that run automatically',
      workspace.autorunFiles.map(describeAutorunFile).map(printable),
    ),
    ...section('Refused connections', [
      ...workspace.refusedConnections.map(formatRefused),
      ...adviseAllow(workspace),
    ]),
    ...section(
      'Snapshots',
      workspace.snapshots.length > 0 ? formatSnapshotTable(workspace.snapshots, now).split('\n') : [],
    ),
  ].join('\n\n');
}

const listRepositories = ({ repositories = [] }: WorkspaceDetails): string[] =>
  alignColumns(
    repositories.map(({ alias, path, repository }) => [alias, path, `of ${repository}`].map(printable)),
  );

const formatRefused = ({ host, port, reason }: RefusedConnection): string =>
  printable(`${host}:${port}: ${reason}`);

/** The command that allows what was refused and can be allowed; the user decides which of the hosts. */
function adviseAllow({ name, refusedConnections }: WorkspacePage): string[] {
  const refused = refusedConnections.filter(({ reason }) => reason === 'not-allowed');
  const hosts = [...new Set(refused.map(({ host, port }) => formatHost(host, port)))];
  return hosts.length === 0
    ? []
    : [printable(`allow what it needs with: carrel allow ${name} ${hosts.join(' ')}`)];
}

/** As an allowlist has it: without a port it means 443 and 80. */
function formatHost(host: string, port: number | null): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === null || port === 443 || port === 80 ? name : `${name}:${port}`;
}

function listFacts(workspace: WorkspaceDetails, now: number): [string, string][] {
  const { isolation, lease } = workspace;
  return [
    ['name', workspace.name],
    ['id', workspace.id],
    ['path', workspace.path],
    ['repository', workspace.repository],
    ['backend', `${workspace.backend} on ${workspace.runtime}`],
    [
      'isolation',
      isolation.reason ? `${formatIsolation(isolation)} (${isolation.reason})` : formatIsolation(isolation),
    ],
    ...formatSandbox(workspace),
    ...formatPopulation(workspace),
    ['status', formatStatus(workspace)],
    ...(lease ? ([['lease', `${lease.holder}, ${formatAgo(lease.since, now)}`]] as [string, string][]) : []),
    ['branch', workspace.branch ?? UNKNOWN],
    ['base', formatBase(workspace)],
    ['distance', formatDistance(workspace)],
    ['changes', formatChanges(workspace.changes)],
    ['size', workspace.sizeBytes === null ? UNKNOWN : formatSize(workspace.sizeBytes)],
    ['ports', formatPorts(workspace.ports)],
    ['created', formatAgo(workspace.createdAt, now)],
    ['active', formatAgo(workspace.lastActivityAt, now)],
  ];
}

/** The sandbox of its commands. */
function formatSandbox({ sandbox }: WorkspaceDetails): [string, string][] {
  if (!sandbox) return [];
  const { network, allow, git, image } = sandbox;
  const hosts = network === 'allowlist' ? ` (${allow.length === 0 ? 'none' : allow.join(', ')})` : '';
  const weakness = network === 'host' ? " (weaker: shares this machine's network)" : '';
  const from = image === null ? '' : `; image ${image}`;
  return [['sandbox', `git ${git}; network ${network}${hosts}${weakness}${from}`]];
}

/** How the files were made, if there was a choice. */
function formatPopulation({ population }: WorkspaceDetails): [string, string][] {
  if (!population) return [];
  const { way, reason } = population;
  return [['files', reason === null ? WAYS[way] : `${WAYS[way]} (${reason})`]];
}

const WAYS: Record<Population['way'], string> = {
  checkout: 'checked out',
  spare: 'taken from a warm spare',
  reflink: 'cloned, sharing their blocks',
  overlay: 'shared, in an overlay',
};

function formatBase({ base }: WorkspaceDetails): string {
  if (base.commit === null) return UNKNOWN;
  return base.ref === null ? base.commit : `${base.ref} at ${base.commit}`;
}

function formatPorts(ports: readonly number[]): string {
  const [first, last] = [ports[0], ports.at(-1)];
  return first === undefined ? UNKNOWN : `${first} to ${last}`;
}
