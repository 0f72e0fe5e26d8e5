import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import { createRisk, type Risk } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { ProcessInside } from '../../exec/inside/processes-inside.js';
import { ancestorsOf, findProcessesInside } from '../../exec/inside/processes-inside.js';
import { findOwnerState } from '../../exec/process/identify-process.js';
import type { ImportedCommits } from '../../sandbox/sandboxes.js';
import { listClaimants } from '../../store/state-claim.js';
import type { Backend, CleanWorkspace, RiskOptions } from '../../workspace/backend.js';
import { listMounts } from '../../workspace/files/mounts.js';
import { isUnreachable } from '../../workspace/location/folder-identity.js';
import type { Context } from '../context.js';
import { listCommandPlaces } from '../group/sandbox-members.js';
import { findTaskRisk, type TaskRiskOptions } from '../guard/task-of-workspace.js';
import { findPrivateRisks } from '../sandbox/sandbox-risks.js';
import { findSnapshotRules } from '../settings/snapshot-rules.js';

export interface RemovalAssessment {
  readonly risks: readonly Risk[];
  /** Live processes that work in the workspace, without ours and our callers'. */
  readonly processes: readonly ProcessIdentity[];
  /** Set when the fast check showed that files and commits are not at risk. */
  readonly clean?: CleanWorkspace | undefined;
}

export interface AssessmentOptions extends RiskOptions, TaskRiskOptions {
  /** The result of importing its commits, if that was tried. */
  readonly imported?: ImportedCommits | undefined;
  /** The risks of its files and commits, when they are known already. */
  readonly known?: readonly Risk[] | undefined;
}

const NOTHING: RemovalAssessment = { risks: [], processes: [] };

/** All risks of removing a workspace. Files that are not ours are not removed; its sandbox may hold work. */
export async function assessRemoval(
  context: Context,
  record: WorkspaceRecord,
  { imported: taken, keepsBranch, isLook, forOwnTask, known }: AssessmentOptions = {},
): Promise<RemovalAssessment> {
  const backend = context.backends.of(record.backend);
  const lease = [...findLeaseRisk(record), ...(await findTaskRisk(context, record, { forOwnTask }))];
  if (!backend.ownsFiles) {
    const { risks, processes } = record.sandbox ? await assessCommands(context, record) : NOTHING;
    return { risks: [...(await findPrivateRisks(context, record, taken)), ...lease, ...risks], processes };
  }
  // Before the check, whose own processes work in there.
  const { risks, processes } = await assessProcesses(context, record, record.path);
  // The fast check does not see git inside a sandbox.
  const mayBeClean = !record.sandbox && !known;
  const clean = mayBeClean ? await backend.cleanRemoval?.inspectIfClean(record) : undefined;
  const files = clean ? [] : (known ?? (await assessFiles(context, record, { keepsBranch, isLook })));
  const inside = await findPrivateRisks(context, record, taken);
  const mounts = findMountRisk(record, backend);
  const place = await findPlaceRisk(record, backend.removal.asideOf(record));
  return { risks: [...place, ...files, ...inside, ...lease, ...mounts, ...risks], processes, clean };
}

/** Files that are neither in place nor set aside: a removal would leave them behind. */
async function findPlaceRisk(record: WorkspaceRecord, aside: string): Promise<Risk[]> {
  if (existsSync(aside) || !(await isUnreachable(record))) return [];
  const folder = dirname(record.path);
  return [
    createRisk(
      'unreachable',
      `${folder} is not the folder that its files are in; their disk may not be mounted`,
      [record.path],
      'mount the disk and try again',
    ),
  ];
}

const findLeaseRisk = ({ lease }: WorkspaceRecord): Risk[] =>
  lease ? [createRisk('leased', `it is leased by ${lease.holder}`, [lease.id])] : [];

async function assessFiles(
  context: Pick<Context, 'backends' | 'loadConfig'>,
  record: WorkspaceRecord,
  options: RiskOptions,
): Promise<Risk[]> {
  const { limits } = await findSnapshotRules(context, record);
  return context.backends.of(record.backend).findRisks(record, limits, options);
}

function findMountRisk(record: WorkspaceRecord, { mountsFiles }: Pick<Backend, 'mountsFiles'>): Risk[] {
  const mounts = listMounts(record.path);
  // The lowest one at the path itself is ours.
  if (mountsFiles && mounts.includes(record.path)) mounts.splice(mounts.indexOf(record.path), 1);
  if (mounts.length === 0) return [];
  const advice = `unmount it with: umount ${mounts.join(' ')}`;
  return [createRisk('mounted', `something is mounted in it: ${mounts.join(', ')}`, mounts, advice)];
}

/** The commands that Carrel runs there; other processes in a directory of the user are the user's own. */
export async function assessCommands(
  context: Pick<Context, 'store'>,
  record: WorkspaceRecord,
): Promise<RemovalAssessment> {
  const commands = await findRunningCommands(context, record);
  return {
    risks: findProcessRisk([], commands),
    processes: commands.map(({ process }) => process),
  };
}

/** Who works in `path`, where the files of the workspace are now. */
export async function assessProcesses(
  context: Pick<Context, 'store' | 'self' | 'places' | 'cwd'>,
  record: WorkspaceRecord,
  path: string,
): Promise<RemovalAssessment> {
  const inside = await findProcessesInside(path);
  const callers = new Set([context.self.pid, ...(await ancestorsOf(context.self.pid))]);
  const lookers = new Set(listClaimants(context.places.stateDir).map(({ pid }) => pid));
  // Another Carrel that reads files there, such as `gc` or a server, does not have to stop first.
  const isLooking = ({ how, identity }: ProcessInside) => how === 'open-file' && lookers.has(identity.pid);
  const takers = await findCheckpointTakers(context, record);
  const isTaking = ({ identity: { pid } }: ProcessInside) =>
    takers.size > 0 && [pid, ...ancestorsOf(pid)].some(each => takers.has(each));
  const others = inside.filter(
    found => !callers.has(found.identity.pid) && !isLooking(found) && !isTaking(found),
  );
  const commands = await findRunningCommands(context, record);
  return {
    risks: [
      ...findCurrentDirectoryRisk(context, path, record, inside, callers),
      ...findProcessRisk(others, commands),
    ],
    processes: [...others.map(found => found.identity), ...commands.map(command => command.process)],
  };
}

/** A removal does not wait for a checkpoint, whose process stops when the files are gone. */
async function findCheckpointTakers(
  { store }: Pick<Context, 'store'>,
  { id }: WorkspaceRecord,
): Promise<Set<number>> {
  const entries = (await store.journal.list()).filter(
    ({ kind, workspaceId }) => kind === 'checkpoint' && workspaceId === id,
  );
  return new Set(entries.map(({ owner }) => owner.pid));
}

async function findRunningCommands(context: Pick<Context, 'store'>, record: WorkspaceRecord) {
  const places = await listCommandPlaces(context, record);
  const commands = (await Promise.all(places.map(id => context.store.commands.list(id)))).flat();
  const alive = commands.filter(command => findOwnerState(command.process) !== 'dead');
  for (const command of commands)
    if (!alive.includes(command)) await context.store.commands.remove(command.id);
  return alive;
}

/** Our callers, or this process itself, known possibly only by their directory. */
function findCurrentDirectoryRisk(
  context: Pick<Context, 'cwd'>,
  path: string,
  record: WorkspaceRecord,
  inside: readonly ProcessInside[],
  callers: ReadonlySet<number>,
): Risk[] {
  const standing = inside.some(found => callers.has(found.identity.pid) && found.how === 'cwd');
  if (!standing && !`${context.cwd}/`.startsWith(`${path}/`)) return [];
  const message = 'the current directory is inside it';
  return [createRisk('current-directory', message, [record.path], `leave it with: cd ${record.repository}`)];
}

function findProcessRisk(
  inside: readonly ProcessInside[],
  commands: readonly { process: ProcessIdentity; command: string }[],
): Risk[] {
  const labels = new Map(commands.map(({ process, command }) => [process.pid, command]));
  for (const { identity, command } of inside) labels.set(identity.pid, command);
  if (labels.size === 0) return [];
  const items = [...labels].map(([pid, command]) => `${pid} ${command}`);
  return [
    createRisk(
      'processes',
      `${labels.size} running ${labels.size === 1 ? 'process' : 'processes'}: ${items.slice(0, 3).join(', ')}`,
      items,
    ),
  ];
}
