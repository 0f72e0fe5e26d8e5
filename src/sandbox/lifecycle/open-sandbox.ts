import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { usualLimits } from '../../runtime/limits/usual-limits.js';
import { INSIDE, type Policy } from '../../runtime/policy.js';
import type { Runtime, Sandbox } from '../../runtime/runtime.js';
import type { RuntimeRegistry } from '../../runtime/runtime-registry.js';
import { workspaceVariables } from '../../workspace/setup/workspace-variables.js';
import { hasGitInside, isInPlace } from '../git-inside.js';
import { emptyDirectory } from '../in-place/in-place-git.js';
import { findInPlaceMounts } from '../in-place/in-place-mounts.js';
import { ownRepositoriesFile } from '../in-place/own-repositories.js';
import { findJjDir } from '../jj/jj-directory.js';
import { buildPolicy, type SandboxContent } from '../policy/build-policy.js';
import { type InsidePlaces, insidePlaces, unmountedVariables } from '../policy/inside-paths.js';
import { listBorrowers, listObjectStores } from '../policy/object-stores.js';
import { findParentMounts } from '../policy/parent-hooks.js';
import { sandboxEnvironment } from '../policy/sandbox-environment.js';
import { findSurgicalMounts, type SurgicalMounts } from '../policy/surgical-mounts.js';
import { requireSettings } from '../require-settings.js';
import { type SandboxPlace, sandboxPlace } from '../sandbox-place.js';
import type { MembersOf } from '../sandboxes.js';

export interface OpenSandboxOptions {
  readonly git: Git;
  readonly runtimes: RuntimeRegistry;
  /** The caller's environment; only variables named in the settings get inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** Who we are, and so who owns what is written inside. */
  readonly user: Policy['user'];
  readonly membersOf: MembersOf;
}

/**
 * Looks up what the policy of a workspace needs to know, and opens the sandbox. One that holds several repositories is the same for
 * all of them; what differs is the directory that commands start in, and their variables.
 */
export async function openSandbox(
  options: OpenSandboxOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<Sandbox> {
  const [main, ...others] = await options.membersOf(record);
  for (const member of [main, ...others])
    await requireParts(member, requireSettings(member), placeOf(place, member));
  const runtime = options.runtimes[main.runtime];
  const policy = await describePolicy(options, main, others, placeOf(place, main));
  const inside = insidePlaces(place, runtime.capabilities, record.group);
  const sandbox = inPlaces(await runtime.open(main.id, policy), inside);
  if (main.id === record.id) return startingIn(sandbox, policy.workingDirectory, {});
  const shared = groupVariables([main, ...others]);
  return startingIn(sandbox, record.path, describeVariables(options, record, inside, shared));
}

/** All of them are beside each other. */
const placeOf = ({ root }: SandboxPlace, { id }: WorkspaceRecord): SandboxPlace =>
  sandboxPlace(dirname(dirname(root)), id);

async function describePolicy(
  options: OpenSandboxOptions,
  main: WorkspaceRecord,
  others: readonly WorkspaceRecord[],
  place: SandboxPlace,
): Promise<Policy> {
  const settings = requireSettings(main);
  const runtime = options.runtimes[main.runtime];
  const inside = insidePlaces(place, runtime.capabilities, main.group);
  const workTree = settings.git === 'private' && hasGitInside(main) ? main.path : null;
  const shared = groupVariables([main, ...others]);
  return buildPolicy(main, {
    ...(await describeContent(options, main, place)),
    settings,
    root: chooseRoot(runtime, settings),
    user: settings.user === null ? options.user : parseUser(settings.user),
    environment: {
      ...describeVariables(options, main, inside, shared),
      ...unmountedVariables(inside, workTree),
    },
    engineSockets: settings.engineSocket ? await findEngineSockets(main, options) : [],
    parent: inside.areMounted ? await findParentMounts(options, main) : [],
    inPlace: isInPlace(main) ? await findInPlaceMounts(options, main, place) : null,
    usual: usualLimits(),
    others: await Promise.all(
      others.map(async record => ({
        record,
        content: await describeContent(options, record, placeOf(place, record)),
      })),
    ),
  });
}

/** What a sandbox shows of one workspace. */
async function describeContent(
  { runtimes }: OpenSandboxOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<SandboxContent> {
  const { commonDir } = record;
  const objectStores = commonDir === null || !hasGitInside(record) ? [] : await listObjectStores(commonDir);
  return {
    place,
    objectStores,
    borrowers: await listBorrowers(objectStores),
    jjDir: isInPlace(record) ? null : await findJjDir({ place, workTree: record.path }),
    surgical: await showSurgically(record, requireSettings(record)),
    inside: insidePlaces(place, runtimes[record.runtime].capabilities, record.group),
  };
}

const describeVariables = (
  { environment }: OpenSandboxOptions,
  record: WorkspaceRecord,
  { home }: InsidePlaces,
  shared: Readonly<Record<string, string>>,
): Record<string, string> =>
  sandboxEnvironment(
    environment,
    requireSettings(record),
    { ...workspaceVariables(record), ...shared },
    home,
  );

/** For commands: where the parts are, as JSON by alias. */
function groupVariables(members: readonly WorkspaceRecord[]): Record<string, string> {
  const paths = members.flatMap(({ group, path }) => (group ? [[group.alias, path]] : []));
  return paths.length === 0 ? {} : { CARREL_REPOSITORIES: JSON.stringify(Object.fromEntries(paths)) };
}

/** Every command has its directory in PWD, with every runtime. */
function startingIn(
  sandbox: Sandbox,
  directory: string,
  variables: Readonly<Record<string, string>>,
): Sandbox {
  const run: Sandbox['run'] = command => {
    const workingDirectory = command.workingDirectory ?? directory;
    const environment = { ...variables, ...command.environment, PWD: workingDirectory };
    return sandbox.run({ ...command, workingDirectory, environment });
  };
  return { ...sandbox, run };
}

/** Elsewhere git's private directory has its usual path; here it has another. */
function inPlaces(sandbox: Sandbox, { git }: InsidePlaces): Sandbox {
  if (git === INSIDE.git) return sandbox;
  const run: Sandbox['run'] = ({ environment, ...command }) => {
    const isGiven = environment?.GIT_DIR === INSIDE.git;
    return sandbox.run({
      ...command,
      environment: isGiven ? { ...environment, GIT_DIR: git } : environment,
    });
  };
  return { ...sandbox, run };
}

/** Directories created with the workspace and deleted since are not recreated: they held work. SANDBOX_DAMAGED. */
async function requireParts(
  record: WorkspaceRecord,
  { git }: SandboxSettings,
  place: SandboxPlace,
): Promise<void> {
  const { home, gitDir } = place;
  const isPrivate = git === 'private' || isInPlace(record);
  const parts = [
    home,
    ...(isPrivate && hasGitInside(record) ? [gitDir] : []),
    ...(isInPlace(record) ? [emptyDirectory(place), ownRepositoriesFile(place)] : []),
  ];
  for (const path of parts)
    if (!(await exists(path))) throw carrelError('SANDBOX_DAMAGED', { workspace: record.name, path });
}

/** Without an image a container uses this machine's own programs. */
function chooseRoot({ capabilities }: Runtime, { image }: SandboxSettings): Policy['root'] {
  return image !== null && capabilities.images ? { kind: 'image', image } : { kind: 'machine' };
}

/** Names are only known in the image; numbers work everywhere. */
function parseUser(user: string): Policy['user'] {
  const [, uid, gid = uid] = /^(\d+)(?::(\d+))?$/.exec(user) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  const expected = 'a user id, or user and group id such as "1000:1000"';
  throw carrelError('INVALID_INPUT', { what: 'workspace.container.user', found: user, expected });
}

async function findEngineSockets(
  { runtime }: WorkspaceRecord,
  { environment, user }: OpenSandboxOptions,
): Promise<string[]> {
  const own = environment.XDG_RUNTIME_DIR ?? `/run/user/${user.uid}`;
  const known =
    runtime === 'docker'
      ? ['/run/docker.sock', '/var/run/docker.sock', join(own, 'docker.sock')]
      : [join(own, 'podman/podman.sock'), '/run/podman/podman.sock'];
  const there = await Promise.all(known.map(exists));
  return known.filter((_, at) => there[at]).slice(0, 1);
}

async function showSurgically(
  record: WorkspaceRecord,
  { git }: SandboxSettings,
): Promise<SurgicalMounts | null> {
  const { commonDir } = record;
  return git === 'surgical' && commonDir !== null && !isInPlace(record)
    ? findSurgicalMounts({ ...record, commonDir })
    : null;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
