import type { CommandResult } from '../domain/command/command.js';
import type { SandboxedRuntime } from '../domain/isolation/decide-isolation.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { RuntimeFinding } from '../domain/sandbox/runtime-finding.js';
import type { WorkspaceRecord } from '../domain/workspace/workspace.js';
import type { Git } from '../git/git.js';
import type { WorkTreePlace } from '../git/work-tree-place.js';
import type { Jj } from '../jj/jj.js';
import type { Sandbox, SandboxCommand } from '../runtime/runtime.js';
import type { RuntimeRegistry } from '../runtime/runtime-registry.js';
import { importCommits } from './exchange/exchange-commits.js';
import type { ImportResult } from './exchange/import-from-sandbox.js';
import { createSandbox } from './lifecycle/create-sandbox.js';
import { cleanUpSandboxes, removeSandbox, stopSandbox } from './lifecycle/remove-sandboxes.js';
import { asRefusal, runInSandbox, withoutNetwork } from './lifecycle/run-in-sandbox.js';
import { type SandboxTrial, trySandbox } from './lifecycle/try-sandbox.js';
import { whileHalted } from './lifecycle/while-halted.js';
import { type InsidePlaces, insidePlaces } from './policy/inside-paths.js';
import { type SandboxPlace, sandboxPlace } from './sandbox-place.js';

/** Everything around the commands of workspaces with `full` isolation. */
export interface Sandboxes {
  readonly runtimes: RuntimeRegistry;
  placeOf(workspaceId: string): SandboxPlace;
  /** The paths inside the sandbox of a workspace. */
  insideOf(record: Pick<WorkspaceRecord, 'id' | 'runtime' | 'group'>): InsidePlaces;
  /** Whether a runtime works on this machine, tested by running it. */
  probe(runtime: SandboxedRuntime): Promise<RuntimeFinding>;
  /** Starts the sandbox that a workspace with these settings would have, and removes it. Throws why it can't be started. */
  tryOut(trial: SandboxTrial): Promise<void>;
  /**
   * Creates what the sandbox of a new workspace needs: a private home, a private git directory at its base, and in a jj repository a
   * private jj. Returns warnings.
   */
  create(record: WorkspaceRecord): Promise<string[]>;
  /** Runs a command inside, then imports its commits. The result of the command is reported in any case. */
  run(record: WorkspaceRecord, command: InsideCommand): Promise<InsideResult>;
  importFromSandbox(record: WorkspaceRecord, signal?: AbortSignal): Promise<ImportedCommits>;
  /** Runs an action while the sandbox is paused, so that the files don't change while they are read. */
  whileHalted<T>(record: WorkspaceRecord, action: () => Promise<T>): Promise<T>;
  /** Resumes it after the process that paused it died. */
  resume(record: WorkspaceRecord): Promise<void>;
  /** Stops everything inside; with several repositories, in all of them. */
  stop(record: WorkspaceRecord): Promise<void>;
  /** Deletes the private home and git directory; the caller has a snapshot of them. */
  remove(record: WorkspaceRecord): Promise<void>;
  /** Cleans up after dead processes: abandoned commands, and sandboxes marked for deletion. Returns warnings. */
  cleanUp(find: (workspaceId: string) => Promise<WorkspaceRecord | undefined>): Promise<string[]>;
}

/** The result of importing commits, and warnings about the worktree outside. */
export type ImportedCommits = ImportResult & { readonly warnings: readonly string[] };

export interface InsideCommand extends SandboxCommand {
  /** Of the command's record, unique. */
  readonly id: string;
  /** Called for what the user should know while the command runs. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export interface InsideResult {
  readonly result: CommandResult;
  /** Undefined without a git repository to import to. */
  readonly takenBack: ImportedCommits | undefined;
  /** Number of connections that the allowlist refused. */
  readonly refusals: number;
  /** Further warnings. */
  readonly warnings: readonly string[];
}

export type MembersOf = (
  record: WorkspaceRecord,
) => Promise<readonly [WorkspaceRecord, ...WorkspaceRecord[]]>;

export interface SandboxesOptions {
  readonly git: Git;
  readonly jj: Jj;
  readonly runtimes: RuntimeRegistry;
  readonly stateDir: string;
  readonly now: () => number;
  readonly self: ProcessIdentity;
  /** The caller's environment; only variables named in the settings get inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** The allowlist of a workspace as it is now; undefined when it has none. */
  readonly allowedNow: (workspaceId: string) => Promise<readonly string[] | undefined>;
  readonly workTreeOf: (record: WorkspaceRecord) => WorkTreePlace | null;
  /** What the sandbox of a workspace holds: itself, or the parts of a workspace with several repositories; whose it is comes first. */
  readonly membersOf: MembersOf;
  /** Opens the sandbox of a workspace: its policy on its runtime. */
  readonly open: (record: WorkspaceRecord, place: SandboxPlace) => Promise<Sandbox>;
}

export function createSandboxes(options: SandboxesOptions): Sandboxes {
  const { runtimes } = options;
  const placeOf = (id: string) => sandboxPlace(options.stateDir, id);
  return {
    runtimes,
    placeOf,
    insideOf: ({ id, runtime, group }) => insidePlaces(placeOf(id), runtimes[runtime].capabilities, group),
    probe: runtime => runtimes[runtime].probe(),
    tryOut: trial => trySandbox(options, trial),
    create: record => createSandbox(options, record, placeOf(record.id)),
    run: (record, command) => runInSandbox(options, record, command),
    importFromSandbox: async (record, signal) => {
      const place = placeOf(record.id);
      return asRefusal(async () => {
        const sandbox = withoutNetwork(await options.open(record, place));
        return importCommits(options, record, place, sandbox, signal);
      });
    },
    whileHalted: (record, action) => whileHalted(options, record, action),
    resume: async record => (await options.open(record, placeOf(record.id))).resume(),
    stop: record => stopSandbox(options, record),
    remove: record => removeSandbox(options, record, placeOf(record.id)),
    cleanUp: find => cleanUpSandboxes(options, find),
  };
}
