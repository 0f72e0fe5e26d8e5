import type { CommandResult } from '../../domain/command/command.js';
import { isCarrelError } from '../../domain/error/error.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Sandbox } from '../../runtime/runtime.js';
import { exportCommits, importCommits } from '../exchange/exchange-commits.js';
import { type HeldKey, holdKeys } from '../keys/held-key.js';
import { coverAfterCommand, uncoverBeforeCommand } from '../nested-git/guard-outside.js';
import { type NetworkAccess, openNetwork } from '../network/open-network.js';
import { openPorts, type PortAccess } from '../network/ports/open-ports.js';
import { relayCommand } from '../network/relay/relay.js';
import { inheritedVariables } from '../policy/sandbox-environment.js';
import { requireSettings } from '../require-settings.js';
import { type SandboxPlace, sandboxPlace } from '../sandbox-place.js';
import type { ImportedCommits, InsideCommand, InsideResult, SandboxesOptions } from '../sandboxes.js';
import { hasOtherOwner, withOwner } from './command-owners.js';
import { stopAlone } from './remove-sandboxes.js';

/** A workspace, or a part of one with several repositories, in the sandbox that the command runs in. */
interface Member {
  readonly record: WorkspaceRecord;
  readonly place: SandboxPlace;
  readonly opened: Sandbox;
  /** For our own commands. */
  readonly sandbox: Sandbox;
}

/** The place of the sandbox as a whole: its home, its commands and its proxy. */
interface Surroundings {
  /** Whose sandbox it is. */
  readonly main: WorkspaceRecord;
  readonly place: SandboxPlace;
  readonly members: readonly Member[];
}

/** Runs a command inside, between exporting and importing the commits of everything that the sandbox holds. */
export async function runInSandbox(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  command: InsideCommand,
): Promise<InsideResult> {
  const [main, ...others] = await options.membersOf(record);
  const place = sandboxPlace(options.stateDir, main.id);
  return withOwner(place, command.id, options.self, async () => {
    const members: Member[] = [];
    for (const each of [main, ...others]) members.push(await openMember(options, each));
    const surroundings = { main, place, members };
    const hidden: string[] = [];
    let closed: readonly string[] = [];
    const run = async () => {
      for (const member of members) hidden.push(...(await uncover(options, member)));
      return runOpened(options, record, surroundings, command);
    };
    const outcome = await run().finally(async () => {
      // The last command to finish closes: others may still be running.
      if (await hasOtherOwner(place, command.id)) return;
      closed = await coverAll(options, members);
      await stopAlone(options, main);
    });
    return { ...outcome, warnings: [...hidden, ...outcome.warnings, ...closed] };
  });
}

async function openMember(options: SandboxesOptions, record: WorkspaceRecord): Promise<Member> {
  const place = sandboxPlace(options.stateDir, record.id);
  const opened = await options.open(record, place);
  return { record, place, opened, sandbox: withoutNetwork(opened) };
}

const uncover = (options: SandboxesOptions, { record, place, sandbox }: Member): Promise<string[]> =>
  uncoverBeforeCommand(options, record, place, sandbox);

/** One that can't be covered must not leave the others open. */
async function coverAll(options: SandboxesOptions, members: readonly Member[]): Promise<string[]> {
  const warnings: string[] = [];
  for (const { record, place, sandbox } of members)
    warnings.push(...(await coverAfterCommand(options, record, place, sandbox).catch(describeFailure)));
  return warnings;
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
  surroundings: Surroundings,
  { id, onWarning, ...rest }: InsideCommand,
): Promise<InsideResult> {
  const { main, members } = surroundings;
  const warnings: string[] = [];
  for (const { record: each, place, sandbox } of members)
    warnings.push(...withAlias(each, await exportCommits(options, each, place, sandbox)));
  const held = holdKeys(requireSettings(main), inheritedVariables(options.environment, record), {
    environment: rest.environment ?? {},
    command: rest.command,
  });
  const network = await openAllowedNetwork(options, surroundings, { id, keys: held.keys });
  const ports = await openOwnPorts(options, record, surroundings, { id, onWarning });
  const own = members.find(member => member.record.id === record.id) as Member;
  let result: CommandResult;
  try {
    const environment = { ...held.environment, ...network?.environment };
    const relayed = ports?.relayed;
    const alone = relayed ? relayCommand({ ports: relayed }, held.command) : held.command;
    const words = network ? network.wrap(held.command, relayed) : alone;
    result = await own.opened.run({ ...rest, command: words, environment, proxyPort: network?.proxyPort });
    network?.requireReached(result);
  } finally {
    await ports?.close();
    await network?.close();
  }
  const { takenBack, problems } = await importAll(options, record, members);
  return {
    result,
    takenBack,
    refusals: network?.refusals() ?? 0,
    warnings: [...warnings, ...problems],
  };
}

/** Those of the workspace itself are the result; problems with the other parts are warnings. */
async function importAll(
  options: SandboxesOptions,
  record: WorkspaceRecord,
  members: readonly Member[],
): Promise<{ readonly takenBack: ImportedCommits | undefined; readonly problems: readonly string[] }> {
  let takenBack: ImportedCommits | undefined;
  const problems: string[] = [];
  for (const { record: each, place, sandbox } of members) {
    const imported = await asRefusal(() => importCommits(options, each, place, sandbox));
    if (each.id === record.id) takenBack = imported;
    else problems.push(...withAlias(each, describeImport(imported)));
  }
  return { takenBack, problems };
}

const describeImport = (imported: ImportedCommits): string[] => [
  ...(imported.outcome === 'refused'
    ? [`commits were not imported and stay in the sandbox: ${imported.problems.join('; ')}`]
    : []),
  ...imported.warnings,
];

const withAlias = ({ group }: WorkspaceRecord, warnings: readonly string[]): string[] =>
  warnings.map(warning => (group ? `${group.alias}: ${warning}` : warning));

/** For our own commands inside: they need no network there, and making one takes time. */
export const withoutNetwork = (sandbox: Sandbox): Sandbox => ({
  ...sandbox,
  run: command => sandbox.run({ ...command, isOffline: true }),
});

/**
 * A failed import, because the runtime is gone or the disk is full, is reported like a refusal: the commits are still inside,
 * and everything before it is done.
 */
export async function asRefusal(importing: () => Promise<ImportedCommits>): Promise<ImportedCommits> {
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
  { ports }: WorkspaceRecord,
  { main, place }: Surroundings,
  { id, onWarning }: Pick<InsideCommand, 'id' | 'onWarning'>,
): Promise<PortAccess | undefined> {
  const { namespaces, mounts, longLived } = runtimes[main.runtime].capabilities;
  if (!namespaces || !mounts || ports.length === 0 || requireSettings(main).network === 'host') return;
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
  { main, place }: Surroundings,
  { id, keys }: { readonly id: string; readonly keys: readonly HeldKey[] },
): Promise<NetworkAccess | undefined> {
  const { network, allow } = requireSettings(main);
  if (network !== 'allowlist' || allow.length === 0) return undefined;
  const byPort = !options.runtimes[main.runtime].capabilities.mounts;
  return openNetwork({
    place,
    allow,
    allowNow: async () => (await options.allowedNow(main.id)) ?? allow,
    id,
    now: options.now,
    byPort,
    keys: { held: keys, caller: options.environment },
  });
}
