import type { ProcessIdentity } from '../domain/process-identity.js';
import { createRisk, type Risk } from '../domain/risk.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { ProcessInside } from '../exec/inside.js';
import { ancestorsOf, findProcessesInside } from '../exec/inside.js';
import { isAlive } from '../exec/process-identity.js';
import type { TakenBack } from '../sandbox/sandboxes.js';
import type { Backend, CleanWorkspace, RiskOptions } from '../workspace/backend.js';
import { listMounts } from '../workspace/mounts.js';
import type { Context } from './context.js';
import { findPrivateRisks } from './private-risks.js';
import { findSnapshotRules } from './snapshot-rules.js';
import { findTaskRisk, type TaskRiskOptions } from './task-of-workspace.js';

export interface RemovalAssessment {
  readonly risks: readonly Risk[];
  /** Living processes that work in the workspace, ours and our callers' left out. */
  readonly processes: readonly ProcessIdentity[];
  /** There when a quick look was enough to see that the files and commits are no risk. */
  readonly clean?: CleanWorkspace | undefined;
}

export interface AssessmentOptions extends RiskOptions, TaskRiskOptions {
  /** What came of taking its commits back, when somebody tried. */
  readonly taken?: TakenBack | undefined;
}

/** Everything that speaks against removing a workspace. One whose files are not ours has nothing to lose. */
export async function assessRemoval(
  context: Context,
  record: WorkspaceRecord,
  { taken, keepsBranch, forOwnTask }: AssessmentOptions = {},
): Promise<RemovalAssessment> {
  const backend = context.backends[record.backend];
  const lease = [...findLeaseRisk(record), ...(await findTaskRisk(context, record, { forOwnTask }))];
  if (!backend.ownsFiles) return { risks: lease, processes: [] };
  // Before the look, whose own processes work in there.
  const { risks, processes } = await assessProcesses(context, record, record.path);
  // What git has inside a sandbox a quick look does not see.
  const clean = record.sandbox ? undefined : await backend.cleanRemoval?.look(record);
  const files = clean ? [] : await assessFiles(context, record, { keepsBranch });
  const inside = await findPrivateRisks(context, record, taken);
  const mounts = findMountRisk(record, backend);
  return { risks: [...files, ...inside, ...lease, ...mounts, ...risks], processes, clean };
}

const findLeaseRisk = ({ lease }: WorkspaceRecord): Risk[] =>
  lease ? [createRisk('leased', `it is leased by ${lease.holder}`, [lease.id])] : [];

async function assessFiles(context: Context, record: WorkspaceRecord, options: RiskOptions): Promise<Risk[]> {
  const { limits } = await findSnapshotRules(context, record);
  return context.backends[record.backend].findRisks(record, limits, options);
}

function findMountRisk(record: WorkspaceRecord, { mountsFiles }: Pick<Backend, 'mountsFiles'>): Risk[] {
  const mounts = listMounts(record.path);
  // The lowest one at the path itself is ours.
  if (mountsFiles && mounts.includes(record.path)) mounts.splice(mounts.indexOf(record.path), 1);
  if (mounts.length === 0) return [];
  const advice = `unmount it with: umount ${mounts.join(' ')}`;
  return [createRisk('mounted', `something is mounted in it: ${mounts.join(', ')}`, mounts, advice)];
}

/** Who works in `path`, where the files of the workspace are now. */
export async function assessProcesses(
  context: Context,
  record: WorkspaceRecord,
  path: string,
): Promise<RemovalAssessment> {
  const inside = await findProcessesInside(path);
  const callers = new Set([context.self.pid, ...(await ancestorsOf(context.self.pid))]);
  const others = inside.filter(found => !callers.has(found.identity.pid));
  const commands = await findRunningCommands(context, record);
  return {
    risks: [...standingInside(context, path, record, inside, callers), ...runningInside(others, commands)],
    processes: [...others.map(found => found.identity), ...commands.map(command => command.process)],
  };
}

async function findRunningCommands(context: Context, record: WorkspaceRecord) {
  const commands = await context.store.commands.list(record.id);
  const alive = commands.filter(command => isAlive(command.process) !== 'dead');
  for (const command of commands)
    if (!alive.includes(command)) await context.store.commands.remove(command.id);
  return alive;
}

/** Our callers, or this process itself, of whom whoever started it may know nothing but the directory. */
function standingInside(
  context: Context,
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

function runningInside(
  inside: readonly ProcessInside[],
  commands: readonly { process: ProcessIdentity; command: string }[],
): Risk[] {
  const labels = new Map(commands.map(({ process, command }) => [process.pid, command]));
  for (const { identity, command } of inside) labels.set(identity.pid, command);
  if (labels.size === 0) return [];
  const items = [...labels].map(([pid, command]) => `${pid} ${command}`);
  return [
    createRisk('processes', `${labels.size} running process(es): ${items.slice(0, 3).join(', ')}`, items),
  ];
}
