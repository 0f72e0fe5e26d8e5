import { isCarrelError } from '../domain/error.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Git } from '../git/git.js';
import type { WorkTreePlace } from '../git/work-tree/place.js';
import type { Jj } from '../jj/jj.js';
import type { RuntimeRegistry } from '../runtime/registry.js';
import type { Sandbox, SandboxCommand, SandboxResult } from '../runtime/runtime.js';
import { chooseRuntime, type RuntimeChoice, type RuntimeWish } from './choose-runtime.js';
import { withOwner } from './command-owners.js';
import { createSandbox } from './create-sandbox.js';
import { bringCommitsIn, takeCommitsBack } from './exchange-commits.js';
import { type NetworkAccess, openNetwork } from './network/open-network.js';
import { type SandboxPlace, sandboxPlace } from './place.js';
import { requireSettings } from './require-settings.js';
import { removeSandbox, sweepSandboxes } from './settle-sandboxes.js';
import type { TakeBackResult } from './take-back.js';
import { whileHalted } from './while-halted.js';

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
  /** Settles what dead processes left: commands that nobody waits for, and sandboxes that were given up. Gives warnings. */
  sweep(find: (workspaceId: string) => Promise<WorkspaceRecord | undefined>): Promise<string[]>;
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
    create: record => createSandbox(options, record, placeOf(record.id)),
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
    remove: record => removeSandbox(options, record, placeOf(record.id)),
    sweep: find => sweepSandboxes(options, find),
  };
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
