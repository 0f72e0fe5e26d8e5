import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError, ignoreMissing, isCarrelError } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { SandboxSettings } from '../domain/sandbox.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { isAlive } from '../exec/process-identity.js';
import type { Git } from '../git/git.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import { readIdentity } from '../jj/identity.js';
import type { Jj } from '../jj/jj.js';
import type { RuntimeRegistry } from '../runtime/registry.js';
import type { Sandbox, SandboxCommand, SandboxResult } from '../runtime/runtime.js';
import { removeTree } from '../workspace/remove-tree.js';
import { isInJj, tellJj } from '../workspace/tell-jj.js';
import { bringIn } from './bring-in.js';
import { chooseRuntime, type RuntimeChoice, type RuntimeWish } from './choose-runtime.js';
import { forgetOwners, listOwners, withOwner } from './command-owners.js';
import { followJj } from './follow-jj.js';
import { sweepIncoming } from './incoming/sweep-incoming.js';
import { initJj } from './init-jj.js';
import { createJjFace, removeJjFace } from './jj-face.js';
import { type NetworkAccess, openNetwork } from './network/open-network.js';
import { followOutside } from './outside-index.js';
import { type SandboxPlace, sandboxPlace } from './place.js';
import { createPrivateFace } from './private-face.js';
import { type TakeBackResult, takeBack } from './take-back.js';

/** Everything that stands around the commands of workspaces with `full` isolation. */
export interface Sandboxes {
  readonly runtimes: RuntimeRegistry;
  placeOf(workspaceId: string): SandboxPlace;
  choose(wish: RuntimeWish): Promise<RuntimeChoice>;
  /**
   * Makes what the sandbox of a new workspace needs: a private home, a private git directory at its base, and in a jj
   * repository a jj of its own. Gives warnings.
   */
  create(record: WorkspaceRecord): Promise<string[]>;
  /** Runs a command inside, then takes back what it committed. How the command went is told in any case. */
  exec(record: WorkspaceRecord, command: InsideCommand): Promise<InsideResult>;
  takeBack(record: WorkspaceRecord, signal?: AbortSignal): Promise<TakenBack>;
  /** Runs an action while nothing in the sandbox runs, so that nobody changes the files under whoever reads them. */
  whileHalted<T>(record: WorkspaceRecord, action: () => Promise<T>): Promise<T>;
  /** Goes on after a process that had halted it died. */
  resume(record: WorkspaceRecord): Promise<void>;
  /** Ends everything inside. */
  stop(record: WorkspaceRecord): Promise<void>;
  /** Deletes the private home and git directory; whoever calls holds a snapshot of what is in them. */
  remove(record: WorkspaceRecord): Promise<void>;
  /** Settles what dead processes left: commands that nobody waits for, and sandboxes that were given up. */
  sweep(find: (workspaceId: string) => Promise<WorkspaceRecord | undefined>): Promise<void>;
}

/** What came of taking commits back, and what the user should know of the worktree outside. */
export type TakenBack = TakeBackResult & { readonly warnings: readonly string[] };

export interface InsideCommand extends SandboxCommand {
  /** Of the command's record, unique. */
  readonly id: string;
}

export interface InsideResult {
  readonly result: SandboxResult;
  /** Undefined where there is no git to take anything back to. */
  readonly takenBack: TakenBack | undefined;
  /** How often the network's allow-list said no. */
  readonly refusals: number;
  /** What the user should know besides. */
  readonly warnings: readonly string[];
}

export interface SandboxesOptions {
  readonly git: Git;
  readonly jj: Jj;
  readonly runtimes: RuntimeRegistry;
  readonly stateDir: string;
  readonly now: () => number;
  readonly self: ProcessIdentity;
  readonly workTreeOf: (record: WorkspaceRecord) => WorkTreePlace | null;
  /** Opens the sandbox of a workspace: its policy on its runtime. */
  readonly open: (record: WorkspaceRecord, place: SandboxPlace) => Promise<Sandbox>;
}

export function createSandboxes(options: SandboxesOptions): Sandboxes {
  const { runtimes } = options;
  const placeOf = (id: string) => sandboxPlace(options.stateDir, id);
  return {
    runtimes,
    placeOf,
    choose: wish => chooseRuntime(runtimes, wish),
    create: record => create(options, record, placeOf(record.id)),
    exec: (record, command) => exec(options, record, placeOf(record.id), command),
    takeBack: async (record, signal) => {
      const place = placeOf(record.id);
      return asResult(async () => {
        const sandbox = await options.open(record, place);
        return takeCommitsBack(options, record, place, sandbox, signal);
      });
    },
    whileHalted: (record, action) => whileHalted(options, record, placeOf(record.id), action),
    resume: async record => (await options.open(record, placeOf(record.id))).resume(),
    stop: record => runtimes[record.runtime].stop(record.id),
    remove: record => remove(options, record, placeOf(record.id)),
    sweep: find => sweep(options, find, placeOf),
  };
}

async function create(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await mkdir(place.proxyDir, { recursive: true, mode: 0o700 });
  const workTree = options.workTreeOf(record);
  if (!workTree || requireSettings(record).git === 'surgical') return [];
  await createPrivateFace({
    git: options.git,
    place,
    commonDir: workTree.commonDir,
    adminDir: workTree.gitDir,
    branch: record.branch as string,
    commit: record.base.commit as string,
  });
  return (await isInJj(record)) ? createJj(options, record, place) : [];
}

/** What the user works with is what the agent finds; where that can't be had it is git alone, and told. */
async function createJj(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<string[]> {
  const face = { place, workTree: record.path };
  await createJjFace(face);
  const { exec } = await options.open(record, place);
  const identity = await readIdentity(options.jj, record.repository);
  const outcome = await initJj({ workTree: record.path, branch: record.branch as string, identity, exec });
  if (outcome === 'made') return [];
  await removeJjFace(face);
  return ['there is no jj inside the sandbox, only git; name its directory in sandbox.readable to have it'];
}

async function exec(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  command: InsideCommand,
): Promise<InsideResult> {
  const { id, ...rest } = command;
  return withOwner(place, id, options.self, async () => {
    const sandbox = await options.open(record, place);
    const warnings = await bringCommitsIn(options, record, place, sandbox);
    const network = await openAllowedNetwork(options, record, place, id);
    let result: SandboxResult;
    try {
      const environment = { ...rest.environment, ...network?.environment };
      const words = network ? network.wrap(rest.command) : rest.command;
      result = await sandbox.exec({ ...rest, command: words, environment });
      network?.requireReached(result);
    } finally {
      await network?.close();
    }
    const takenBack = await asResult(() => takeCommitsBack(options, record, place, sandbox));
    return { result, takenBack, refusals: network?.refusals() ?? 0, warnings };
  });
}

/**
 * That commits could not be taken back, because the runtime is gone or the disk is full, is told like a refusal: they are
 * inside as before, and whatever was done before it is done.
 */
async function asResult(taking: () => Promise<TakenBack>): Promise<TakenBack> {
  try {
    return await taking();
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return { outcome: 'refused', problems: [error.message], warnings: [] };
  }
}

async function whileHalted<T>(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  action: () => Promise<T>,
): Promise<T> {
  const sandbox = await findRunning(options, record, place);
  await sandbox?.pause();
  try {
    return await action();
  } finally {
    await sandbox?.resume();
  }
}

/** Without a runtime, and without a command that anybody waits for, nothing runs that could be halted. */
async function findRunning(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<Sandbox | undefined> {
  try {
    return await options.open(record, place);
  } catch (error) {
    const isUsed = (await listOwners(place)).some(owner => owner && isAlive(owner) !== 'dead');
    if (isUsed || !isCarrelError(error, 'RUNTIME_UNAVAILABLE')) throw error;
    return undefined;
  }
}

/** Nothing to open when nobody may be reached. */
async function openAllowedNetwork(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  id: string,
): Promise<NetworkAccess | undefined> {
  const { network, allow } = requireSettings(record);
  if (network !== 'allowlist' || allow.length === 0) return undefined;
  return openNetwork({ place, allow, id, now: options.now });
}

async function bringCommitsIn(
  { git, workTreeOf }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
): Promise<string[]> {
  const workTree = privateWorkTree(record, workTreeOf);
  if (!workTree) return [];
  const { id: workspaceId, branch } = record;
  const { commonDir } = workTree;
  const base = record.base.commit as string;
  const request = { git, place, commonDir, workspaceId, branch: branch as string, base, exec: sandbox.exec };
  const { outcome } = await bringIn(request);
  if (outcome !== 'apart') return [];
  return [`${branch} has commits that were made outside; merge them inside with: git merge origin/${branch}`];
}

async function takeCommitsBack(
  { git, jj, workTreeOf }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
  signal?: AbortSignal,
): Promise<TakenBack> {
  const workTree = privateWorkTree(record, workTreeOf);
  if (!workTree) return { outcome: 'unchanged', tip: record.base.commit ?? '', warnings: [] };
  const { commonDir } = workTree;
  await followJj({
    place,
    workTree: record.path,
    branch: record.branch as string,
    exec: sandbox.exec,
    signal,
  });
  const taken = await takeBack({
    git,
    place,
    commonDir,
    workspaceId: record.id,
    branch: record.branch as string,
    base: record.base.commit as string,
    exec: sandbox.exec,
    signal,
  });
  if (taken.outcome !== 'taken') return { ...taken, warnings: [] };
  const warnings = await followOutside({ git, place: workTree, from: taken.from });
  return { ...taken, warnings: [...warnings, ...(await tellJj(jj, record))] };
}

/** Only `private` has commits that the repository does not. */
function privateWorkTree(
  record: WorkspaceRecord,
  workTreeOf: SandboxesOptions['workTreeOf'],
): WorkTreePlace | null {
  return requireSettings(record).git === 'private' ? workTreeOf(record) : null;
}

export function requireSettings(record: WorkspaceRecord): SandboxSettings {
  if (record.sandbox) return record.sandbox;
  throw carrelError('INTERNAL', { problem: `the workspace ${record.id} has no sandbox` });
}

/** Renamed first: whoever finds it under that name knows that it was given up on purpose, and by whom it may be deleted. */
async function remove(
  { runtimes, stateDir }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<void> {
  await runtimes[record.runtime].stop(record.id);
  if (record.commonDir !== null) await sweepIncoming(record.commonDir, record.id);
  const gone = join(rootOf(stateDir), `${GONE}${record.id}`);
  await rename(place.root, gone).catch(ignoreMissing);
  await removeTree(gone);
}

const rootOf = (stateDir: string): string => join(stateDir, 'sandboxes');

const GONE = '.gone-';

async function sweep(
  options: SandboxesOptions,
  find: (workspaceId: string) => Promise<WorkspaceRecord | undefined>,
  placeOf: (id: string) => SandboxPlace,
): Promise<void> {
  const root = rootOf(options.stateDir);
  for (const name of (await readdir(root).catch(ignoreMissing)) ?? []) {
    if (name.startsWith(GONE)) await removeTree(join(root, name));
    const record = name.startsWith('ws_') && (await isLeftAlone(placeOf(name))) && (await find(name));
    if (record) await endLeft(options, record, placeOf(name));
  }
}

async function isLeftAlone(place: SandboxPlace): Promise<boolean> {
  const owners = await listOwners(place);
  return owners.length > 0 && owners.every(owner => !owner || isAlive(owner) === 'dead');
}

async function endLeft(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<void> {
  await options.runtimes[record.runtime].stop(record.id);
  await forgetOwners(place);
}
