import type { CommandResult } from '../domain/command/command.js';
import { isCarrelError } from '../domain/error/error.js';
import type { SandboxedRuntime } from '../domain/isolation/decide-isolation.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { RuntimeFinding } from '../domain/sandbox/runtime-finding.js';
import type { WorkspaceRecord } from '../domain/workspace/workspace.js';
import type { Git } from '../git/git.js';
import type { WorkTreePlace } from '../git/work-tree-place.js';
import type { Jj } from '../jj/jj.js';
import type { Sandbox, SandboxCommand } from '../runtime/runtime.js';
import type { RuntimeRegistry } from '../runtime/runtime-registry.js';
import { exportCommits, importCommits } from './exchange/exchange-commits.js';
import type { ImportResult } from './exchange/import-from-sandbox.js';
import { type HeldKey, holdKeys } from './keys/held-key.js';
import { hasOtherOwner, withOwner } from './lifecycle/command-owners.js';
import { createSandbox } from './lifecycle/create-sandbox.js';
import { cleanUpSandboxes, removeSandbox } from './lifecycle/remove-sandboxes.js';
import { type SandboxTrial, trySandbox } from './lifecycle/try-sandbox.js';
import { whileHalted } from './lifecycle/while-halted.js';
import { coverAfterCommand, uncoverBeforeCommand } from './nested-git/guard-outside.js';
import { type NetworkAccess, openNetwork } from './network/open-network.js';
import { openPorts, type PortAccess } from './network/ports/open-ports.js';
import { relayCommand } from './network/relay/relay.js';
import { type InsidePlaces, insidePlaces } from './policy/inside-paths.js';
import { inheritedVariables } from './policy/sandbox-environment.js';
import { requireSettings } from './require-settings.js';
import { type SandboxPlace, sandboxPlace } from './sandbox-place.js';

/** Everything around the commands of workspaces with `full` isolation. */
export interface Sandboxes {
  readonly runtimes: RuntimeRegistry;
  placeOf(workspaceId: string): SandboxPlace;
  /** The paths inside the sandbox of a workspace. */
  insideOf(record: Pick<WorkspaceRecord, 'id' | 'runtime'>): InsidePlaces;
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
  /** Stops everything inside. */
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
  /** Opens the sandbox of a workspace: its policy on its runtime. */
  readonly open: (record: WorkspaceRecord, place: SandboxPlace) => Promise<Sandbox>;
}

export function createSandboxes(options: SandboxesOptions): Sandboxes {
  const { runtimes } = options;
  const placeOf = (id: string) => sandboxPlace(options.stateDir, id);
  return {
    runtimes,
    placeOf,
    insideOf: ({ id, runtime }) => insidePlaces(placeOf(id), runtimes[runtime].capabilities),
    probe: runtime => runtimes[runtime].probe(),
    tryOut: trial => trySandbox(options, trial),
    create: record => createSandbox(options, record, placeOf(record.id)),
    run: (record, command) => runInSandbox(options, record, placeOf(record.id), command),
    importFromSandbox: async (record, signal) => {
      const place = placeOf(record.id);
      return asRefusal(async () => {
        const sandbox = withoutNetwork(await options.open(record, place));
        return importCommits(options, record, place, sandbox, signal);
      });
    },
    whileHalted: (record, action) => whileHalted(options, record, placeOf(record.id), action),
    resume: async record => (await options.open(record, placeOf(record.id))).resume(),
    stop: record => runtimes[record.runtime].stop(record.id),
    remove: record => removeSandbox(options, record, placeOf(record.id)),
    cleanUp: find => cleanUpSandboxes(options, find),
  };
}

async function runInSandbox(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  command: InsideCommand,
): Promise<InsideResult> {
  return withOwner(place, command.id, options.self, async () => {
    const sandbox = await options.open(record, place);
    const hidden = await uncoverBeforeCommand(options, record, place, withoutNetwork(sandbox));
    let closed: readonly string[] = [];
    const outcome = await runOpened(options, record, place, sandbox, command).finally(async () => {
      // The last command to finish closes: others may still be running.
      if (!(await hasOtherOwner(place, command.id)))
        closed = await coverAfterCommand(options, record, place, withoutNetwork(sandbox)).catch(
          describeFailure,
        );
    });
    return { ...outcome, warnings: [...hidden, ...outcome.warnings, ...closed] };
  });
}

/** The command is done, and its result comes first. */
function describeFailure(error: unknown): string[] {
  if (!isCarrelError(error)) throw error;
  return [
    `do not run git in the workspace: repositories created inside the sandbox could not be disabled: ${error.message}`,
  ];
}

async function runOpened(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  sandbox: Sandbox,
  { id, onWarning, ...rest }: InsideCommand,
): Promise<InsideResult> {
  const warnings = await exportCommits(options, record, place, withoutNetwork(sandbox));
  const held = holdKeys(requireSettings(record), inheritedVariables(options.environment, record), {
    environment: rest.environment ?? {},
    command: rest.command,
  });
  const network = await openAllowedNetwork(options, record, place, { id, keys: held.keys });
  const ports = await openOwnPorts(options, record, place, { id, onWarning });
  let result: CommandResult;
  try {
    const environment = { ...held.environment, ...network?.environment };
    const relayed = ports?.relayed;
    const alone = relayed ? relayCommand({ ports: relayed }, held.command) : held.command;
    const words = network ? network.wrap(held.command, relayed) : alone;
    result = await sandbox.run({ ...rest, command: words, environment, proxyPort: network?.proxyPort });
    network?.requireReached(result);
  } finally {
    await ports?.close();
    await network?.close();
  }
  const takenBack = await asRefusal(() => importCommits(options, record, place, withoutNetwork(sandbox)));
  return { result, takenBack, refusals: network?.refusals() ?? 0, warnings };
}

/** For our own commands inside: they need no network there, and making one takes time. */
const withoutNetwork = (sandbox: Sandbox): Sandbox => ({
  ...sandbox,
  run: command => sandbox.run({ ...command, isOffline: true }),
});

/**
 * A failed import, because the runtime is gone or the disk is full, is reported like a refusal: the commits are still inside,
 * and everything before it is done.
 */
async function asRefusal(importing: () => Promise<ImportedCommits>): Promise<ImportedCommits> {
  try {
    return await importing();
  } catch (error) {
    if (!isCarrelError(error)) throw error;
    return { outcome: 'refused', problems: [error.message], warnings: [] };
  }
}

/** Where the network is this machine's, servers already answer on it. A way in that can't be opened stops no command. */
async function openOwnPorts(
  { runtimes, now }: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  { id, onWarning }: Pick<InsideCommand, 'id' | 'onWarning'>,
): Promise<PortAccess | undefined> {
  const { namespaces, mounts, longLived } = runtimes[record.runtime].capabilities;
  const { ports } = record;
  if (!namespaces || !mounts || ports.length === 0 || requireSettings(record).network === 'host') return;
  const onTaken = (port: number) =>
    onWarning?.(
      `another program on this machine uses port ${port}, so the server on it in the sandbox can't be reached from outside`,
    );
  // Commands in one container see the same servers, and one of them forwards.
  const isShared = async () => longLived && (await hasOtherOwner(place, id));
  return openPorts({ place, id, now, ports, onTaken, isShared }).catch((error: Error) => {
    onWarning?.(`servers in the sandbox can't be reached from outside: ${error.message}`);
    return undefined;
  });
}

/** Nothing to open when no host is allowed. */
async function openAllowedNetwork(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
  { id, keys }: { readonly id: string; readonly keys: readonly HeldKey[] },
): Promise<NetworkAccess | undefined> {
  const { network, allow } = requireSettings(record);
  if (network !== 'allowlist' || allow.length === 0) return undefined;
  const byPort = !options.runtimes[record.runtime].capabilities.mounts;
  return openNetwork({
    place,
    allow,
    allowNow: async () => (await options.allowedNow(record.id)) ?? allow,
    id,
    now: options.now,
    byPort,
    keys: { held: keys, caller: options.environment },
  });
}
