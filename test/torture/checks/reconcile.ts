import { existsSync } from 'node:fs';
import type { Records } from '../../helpers/records.js';
import { git } from '../../helpers/repository.js';
import { Finding, requireNone } from '../finding.js';
import type { Machine } from '../machine/machine.js';
import { readSettledRecords } from '../machine/settled-records.js';
import { findDifferences } from '../model/differences.js';
import type { KnownSnapshot, KnownWorkspace, Model, Place } from '../model/model.js';
import { isSpecial, isWhatGitHas, type Observation, observe } from '../model/observation.js';
import type { Change, Creation, Events, Intent } from '../steps/intent.js';
import { type KindFacts, kindOf, TASK_NAME } from '../steps/plan-command.js';

/** The repository that is beside the user's keeps its place. */
const placeOf = ({ repository }: { readonly [column: string]: unknown }): Place =>
  String(repository).endsWith('/user/beside') ? 'beside' : 'user';

export interface Look {
  /** What snapshots that are found are called after. */
  readonly n: number | string;
  readonly intents: readonly Intent[];
}

type RecordOf<Key extends 'workspaces' | 'snapshots'> = Records[Key][number];

/**
 * Compares everything that Carrel has now with everything that the model knows. What an intent allows is taken over into
 * the model; what no intent allows is a finding. Nothing may be running.
 */
export function reconcile(machine: Machine, model: Model, look: Look): Events {
  const records = readSettledRecords(machine);
  const before = new Map(
    [...model.workspaces].map(([id, { isMissing, observation }]) => [id, isMissing ? [] : [observation]]),
  );
  const appeared = records.workspaces
    .filter(({ id }) => !model.workspaces.has(id))
    .map(record => admit(record, model, look));
  const present = new Set(records.workspaces.map(({ id }) => id));
  const vanished = [...model.workspaces.values()].filter(({ id }) => !present.has(id));
  const reset = checkPresent(model, records.workspaces, look, appeared);
  const taken = admitSnapshots(records.snapshots, model, look, before);
  for (const workspace of reset) requireHeld(workspace, model);
  for (const workspace of vanished) release(workspace, model, look);
  rememberCommits(machine, model);
  return { appeared, vanished, taken };
}

/** A workspace that was not there before is as the command that made it had to make it. */
function admit(record: RecordOf<'workspaces'>, model: Model, { intents }: Look): KnownWorkspace {
  const { id, name, path } = record;
  const creation = intents.flatMap(({ creates }) => (creates && isNamed(creates, name) ? [creates] : []))[0];
  if (!creation) throw new Finding('leftover', `the workspace ${name} (${id}) is there, and nothing made it`);
  if (record.status !== 'ready') throw new Finding('leftover', `the workspace ${name} is ${record.status}`);
  if (!existsSync(path))
    throw new Finding('loss', `the workspace ${name} is recorded, and ${path} is not there`);
  const kind = kindOf(record as unknown as KindFacts);
  const observation = observe(path, kind === 'git');
  const place = placeOf(record);
  const own = { ...creation, holds: creation.holdsIn ? creation.holdsIn[place] : creation.holds };
  requireNone('loss', `the new workspace ${name} is not as it should be`, findFlaws(own, observation));
  const pristine = creation.holds === null ? observation : undefined;
  const facts = { id, name, kind, path, place, isPart: record.group !== undefined };
  const workspace = { ...facts, observation, pristine, isMissing: false };
  model.workspaces.set(id, workspace);
  return workspace;
}

const isNamed = ({ name, holds }: Creation, found: string): boolean =>
  holds === 'any' ? found.startsWith(name) : found === name;

function findFlaws({ holds, omitted, changing, isFilesOnly }: Creation, found: Observation): string[] {
  if (holds === 'any') return [];
  if (holds === null) return found.git?.status.map(line => `it should be clean, and is not: ${line}`) ?? [];
  const tolerance = { absent: omitted, changed: changing, isFilesOnly };
  const tries = holds.map(expected => findDifferences(expected, found, tolerance));
  return tries.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function checkPresent(
  model: Model,
  records: readonly RecordOf<'workspaces'>[],
  { intents }: Look,
  appeared: readonly KnownWorkspace[],
): KnownWorkspace[] {
  const reset: KnownWorkspace[] = [];
  for (const record of records) {
    const workspace = model.workspaces.get(record.id);
    if (!workspace || appeared.includes(workspace)) continue;
    if (record.status !== 'ready')
      throw new Finding('leftover', `the workspace ${record.name} is still ${record.status}`);
    workspace.path = record.path;
    if (workspace.isMissing) continue;
    if (!existsSync(record.path))
      throw new Finding('loss', `the directory of ${record.name} is gone: ${record.path}`);
    const changes = findChanges(intents, record.name);
    const found = observe(record.path, workspace.kind === 'git');
    const lines = findDifferences(workspace.observation, found, {
      changed: changes.flatMap(({ paths }) => paths),
      isFilesOnly: changes.some(({ isGit }) => isGit),
    });
    const isReset = lines.length > 0 && intents.some(({ resets }) => resets === record.name);
    if (isReset) reset.push({ ...workspace });
    const flaws = isReset ? findResetFlaws(workspace, found) : lines;
    requireNone('loss', `the workspace ${record.name} is not as it was left`, flaws);
    workspace.observation = found;
  }
  return reset;
}

/** Where git is not asked, and nothing is known of how it was made, every file may be another one. */
function findResetFlaws({ kind, pristine }: KnownWorkspace, found: Observation): string[] {
  const status = found.git?.status.map(line => `it was reset, and is not clean: ${line}`) ?? [];
  return pristine && kind === 'copy' ? [...status, ...findDifferences(pristine, found)] : status;
}

const findChanges = (intents: readonly Intent[], name: string): Change[] =>
  intents.flatMap(({ changes }) => (changes?.name === name ? [changes] : []));

/** A snapshot holds the workspace as it was at the beginning of the step, or as it is now. */
function admitSnapshots(
  records: readonly RecordOf<'snapshots'>[],
  model: Model,
  look: Look,
  before: ReadonlyMap<string, readonly Observation[]>,
): KnownSnapshot[] {
  const present = new Set(records.map(({ id }) => id));
  const absent = [...model.snapshots.values()].filter(({ id }) => !present.has(id));
  // Newer ones take their place; what they held is in the workspace or in the snapshot of its removal.
  for (const { id, isCheckpoint } of absent) if (isCheckpoint) model.snapshots.delete(id);
  const gone = absent.filter(({ isCheckpoint }) => !isCheckpoint);
  requireNone(
    'loss',
    'snapshots are gone',
    gone.map(({ id, label }) => `${id}, of step ${label}`),
  );
  const taken: KnownSnapshot[] = [];
  for (const record of records.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    if (model.snapshots.has(record.id)) continue;
    const label = `${look.n}.${taken.length}`;
    taken.push(admitSnapshot(record, model, look, { before, label }));
  }
  return taken;
}

function admitSnapshot(
  record: RecordOf<'snapshots'>,
  model: Model,
  { intents }: Look,
  { before, label }: { readonly before: ReadonlyMap<string, readonly Observation[]>; readonly label: string },
): KnownSnapshot {
  const { id, workspaceName } = record;
  const workspaceId = String(record.workspace_id);
  const intent = intents.find(({ snapshots }) => snapshots === 'any' || snapshots === workspaceName);
  // Of a workspace that came and went within the step.
  const isPassing =
    record.reason === 'rollback' ||
    intents.some(({ creates }) => creates?.holds === 'any') ||
    isCreatedAndRemoved(intents, workspaceName);
  const isCheckpoint = record.reason === 'checkpoint';
  if (!intent && !isPassing && !isCheckpoint)
    throw new Finding('leftover', `nothing took the snapshot ${id} of ${workspaceName}`);
  if (!isPassing && !before.has(workspaceId) && !model.workspaces.has(workspaceId))
    throw new Finding('leftover', `the snapshot ${id} is of ${workspaceId}, which is unknown`);
  if (record.commit === null) throw new Finding('leftover', `the snapshot ${id} is still being taken`);
  const changes = findChanges(intents, workspaceName);
  const now = model.workspaces.get(workspaceId);
  const holds = [...(before.get(workspaceId) ?? []), ...(now && !now.isMissing ? [now.observation] : [])];
  const omitted = (record.omitted as { path: string }[]).map(({ path }) =>
    Buffer.from(path).toString('latin1'),
  );
  const snapshot: KnownSnapshot = {
    ...{ id, label, workspaceId, workspaceName, omitted, kind: kindOf(record as unknown as KindFacts) },
    holds: [...new Set(holds)],
    changing: changes.flatMap(({ paths }) => paths),
    isFilesOnly: changes.some(({ isGit }) => isGit),
    isCheckpoint,
    set: (record.group as { set?: { id: string } } | undefined)?.set?.id ?? null,
    isPart: record.group !== undefined,
    place: placeOf(record),
  };
  const lost = snapshot.holds.length > 0 ? findOmittedWork(snapshot) : [];
  requireNone('loss', `the snapshot ${id} of ${workspaceName} leaves out work`, lost);
  model.snapshots.set(id, snapshot);
  return snapshot;
}

/** Such as by `up` beside a `gc` of whatever was not used for 0 s. */
const isCreatedAndRemoved = (intents: Look['intents'], name: string): boolean =>
  intents.some(({ creates }) => creates !== undefined && isNamed(creates, name)) &&
  intents.some(({ removes }) => removes === 'any' || removes === name);

/** Only what can't be kept, and what tools make again. */
const findOmittedWork = ({ holds, omitted }: KnownSnapshot): string[] =>
  omitted.filter(path => {
    const name = path.replace(/\/$/, '');
    const isRegenerable = name === 'node_modules' || name.startsWith('node_modules/');
    return !isRegenerable && !holds.some(({ files }) => isSpecial(files[name] ?? ''));
  });

/** What is no longer a workspace is in a snapshot, unless a new workspace would be the same. */
function release(workspace: KnownWorkspace, model: Model, { intents }: Look): void {
  const { id, name } = workspace;
  model.workspaces.delete(id);
  if (!intents.some(({ removes }) => removes === 'any' || removes === name))
    throw new Finding('loss', `the workspace ${name} is gone, and nothing was to remove it`);
  requireHeld(workspace, model);
}

function requireHeld(workspace: KnownWorkspace, model: Model): void {
  const { name, isMissing, observation } = workspace;
  const isHeld = [...model.snapshots.values()].some(snapshot =>
    snapshot.holds.some(held => isSame(held, observation, snapshot)),
  );
  const isNothing = isMissing || isWhatGitHas(observation) || isPristine(workspace);
  if (!isHeld && !isNothing) throw new Finding('loss', `no snapshot holds what was in the workspace ${name}`);
}

const isPristine = ({ pristine, observation }: KnownWorkspace): boolean =>
  pristine !== undefined && findDifferences(pristine, observation).length === 0;

const isSame = (held: Observation, last: Observation, { isFilesOnly }: KnownSnapshot): boolean =>
  findDifferences(last, held, { isFilesOnly }).length === 0;

/** The newest commit of every workspace and every task, so that it can be looked for later. */
function rememberCommits(machine: Machine, model: Model): void {
  const { repository, beside } = machine;
  const ofTasks = git(
    repository,
    'for-each-ref',
    '--format=%(objectname)',
    `refs/heads/carrel/${TASK_NAME}*`,
  );
  for (const commit of ofTasks.split('\n').filter(Boolean)) model.commits.set(commit, 'a task');
  for (const { name, kind, observation, isMissing, place } of model.workspaces.values()) {
    if (isMissing) continue;
    const where = place === 'user' ? repository : beside;
    const head = observation.git?.head ?? (kind === 'full' ? readBranch(where, name) : undefined);
    if (head && /^[0-9a-f]{40}$/.test(head) && !model.commits.has(head)) model.commits.set(head, name);
  }
}

function readBranch(repository: string, name: string): string | undefined {
  try {
    return git(repository, 'rev-parse', '--verify', '--quiet', `refs/heads/carrel/${name}`);
  } catch {
    return undefined;
  }
}
