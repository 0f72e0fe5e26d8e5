import { carrelError, isCarrelError } from '../../domain/error/error.js';
import type { NetworkReport } from '../../domain/report/network-report.js';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { parseAllowList } from '../../sandbox/network/rules/allow-list.js';
import type { Tables } from '../../store/store.js';
import type { Context } from '../context.js';
import { listParts } from '../group/group-records.js';
import { keepRecord } from '../repository/kept-record.js';
import { findWorkspace, type WorkspaceQuery } from '../workspace/find-workspace.js';

export interface AllowInput extends WorkspaceQuery {
  /** None only lists what is allowed. */
  readonly hosts?: readonly string[] | undefined;
  readonly remove?: boolean | undefined;
}

/**
 * Changes the allowlist of one workspace, which the proxies of its running commands read for every new connection. Only for the user:
 * no file of a repository and no request of a program comes here.
 */
export async function changeAllowedHosts(context: Context, input: AllowInput): Promise<NetworkReport> {
  const record = await findWorkspace(context, input);
  const before = requireAllowList(record).allow;
  const hosts = [...new Set((input.hosts ?? []).map(host => host.toLowerCase()))];
  for (const host of hosts) requireHost(host);
  if (hosts.length === 0) return describe(record, before, []);
  const wanted = input.remove ? { added: [], removed: hosts } : { added: hosts, removed: [] };
  // The parts of a workspace with several repositories are in one sandbox, with one list.
  const changed = await changeAll(context, await listParts(context, record), wanted);
  for (const part of changed) await keepRecord(context, part);
  const own = changed.find(({ id }) => id === record.id) ?? record;
  return describe(own, before, await findWarnings(context, record, before));
}

/** NO_ALLOW_LIST */
function requireAllowList({ name, sandbox, isolation }: WorkspaceRecord): SandboxSettings {
  if (!sandbox) throw carrelError('NO_ALLOW_LIST', { name, network: `isolation ${isolation.effective}` });
  if (sandbox.network !== 'allowlist')
    throw carrelError('NO_ALLOW_LIST', { name, network: `network ${sandbox.network}` });
  return sandbox;
}

/** The proxy refuses a list with a wrong entry, and with it everything. */
function requireHost(host: string): void {
  try {
    parseAllowList([host]);
  } catch (error) {
    if (!isCarrelError(error, 'NETWORK_UNAVAILABLE')) throw error;
    const expected =
      'a host with or without a port, such as api.example.com, *.example.com or localhost:8080';
    throw carrelError('INVALID_INPUT', { what: 'the host', found: `"${host}"`, expected }, error);
  }
}

interface Change {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Of two changes at the same time neither is lost. */
const changeAll = (
  { store }: Pick<Context, 'store'>,
  parts: readonly WorkspaceRecord[],
  wanted: Change,
): Promise<WorkspaceRecord[]> =>
  store.atomically(async ({ workspaces }) => {
    const changed: WorkspaceRecord[] = [];
    for (const part of parts) changed.push(await change(workspaces, part, wanted));
    return changed;
  });

async function change(
  workspaces: Tables['workspaces'],
  { id, name, repositoryId }: WorkspaceRecord,
  { added, removed }: Change,
): Promise<WorkspaceRecord> {
  const record = await workspaces.find(id);
  if (!record) throw carrelError('WORKSPACE_NOT_FOUND', { name, known: [] });
  const sandbox = requireAllowList(record);
  const known = sandbox.allow.map(host => host.toLowerCase());
  const unknown = removed.find(host => !known.includes(host));
  if (unknown !== undefined) throw notAllowed(unknown, sandbox.allow);
  const allow = [
    ...sandbox.allow.filter(host => !removed.includes(host.toLowerCase())),
    ...added.filter(host => !known.includes(host)),
  ];
  const data = { name, added, removed };
  const event = { type: 'workspace.network-changed', repositoryId, workspaceId: id, data } as const;
  const changed = await workspaces.update(id, 'ready', { sandbox: { ...sandbox, allow } }, [event]);
  if (!changed) throw carrelError('WORKSPACE_BUSY', { name, status: record.status });
  return changed;
}

function notAllowed(host: string, allow: readonly string[]): Error {
  const expected = allow.length === 0 ? 'none, because no host is allowed' : `one of ${allow.join(', ')}`;
  return carrelError('INVALID_INPUT', { what: 'the host to remove', found: `"${host}"`, expected });
}

/** A command that began without any allowed host has no proxy that could let it out now. */
async function findWarnings(
  { store }: Pick<Context, 'store'>,
  { id, name }: WorkspaceRecord,
  before: readonly string[],
): Promise<string[]> {
  if (before.length > 0 || (await store.commands.list(id)).length === 0) return [];
  return [`commands that are running in ${name} stay without a network; later ones have it`];
}

function describe(
  { id, name, sandbox }: WorkspaceRecord,
  before: readonly string[],
  warnings: readonly string[],
): NetworkReport {
  const allow = [...(sandbox?.allow ?? [])];
  return {
    ...{ id, name, allow },
    added: allow.filter(host => !before.includes(host)),
    removed: before.filter(host => !allow.includes(host)),
    warnings: [...warnings],
  };
}
