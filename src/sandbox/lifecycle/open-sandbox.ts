import { access } from 'node:fs/promises';
import { join } from 'node:path';
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
import { buildPolicy } from '../policy/build-policy.js';
import { type InsidePlaces, insidePlaces, unmountedVariables } from '../policy/inside-paths.js';
import { listBorrowers, listObjectStores } from '../policy/object-stores.js';
import { findParentMounts } from '../policy/parent-hooks.js';
import { sandboxEnvironment } from '../policy/sandbox-environment.js';
import { findSurgicalMounts, type SurgicalMounts } from '../policy/surgical-mounts.js';
import { requireSettings } from '../require-settings.js';
import type { SandboxPlace } from '../sandbox-place.js';

export interface OpenSandboxOptions {
  readonly git: Git;
  readonly runtimes: RuntimeRegistry;
  /** The caller's environment; only variables named in the settings get inside. */
  readonly environment: Readonly<Record<string, string>>;
  /** Who we are, and so who owns what is written inside. */
  readonly user: Policy['user'];
}

/** Looks up what the policy of a workspace needs to know, and opens the sandbox. */
export async function openSandbox(
  options: OpenSandboxOptions,
  record: WorkspaceRecord,
  place: SandboxPlace,
): Promise<Sandbox> {
  const settings = requireSettings(record);
  await requireParts(record, settings, place);
  const runtime = options.runtimes[record.runtime];
  const { commonDir } = record;
  const hasGit = hasGitInside(record);
  const objectStores = commonDir === null || !hasGit ? [] : await listObjectStores(commonDir);
  const inside = insidePlaces(place, runtime.capabilities);
  const workTree = settings.git === 'private' && hasGit ? record.path : null;
  const policy = buildPolicy(record, {
    place,
    settings,
    root: chooseRoot(runtime, settings),
    user: settings.user === null ? options.user : parseUser(settings.user),
    objectStores,
    borrowers: await listBorrowers(objectStores),
    environment: {
      ...sandboxEnvironment(options.environment, settings, workspaceVariables(record), inside.home),
      ...unmountedVariables(inside, workTree),
    },
    jjDir: isInPlace(record) ? null : await findJjDir({ place, workTree: record.path }),
    engineSockets: settings.engineSocket ? await findEngineSockets(record, options) : [],
    surgical: await showSurgically(record, settings),
    parent: inside.areMounted ? await findParentMounts(options, record) : [],
    inPlace: isInPlace(record) ? await findInPlaceMounts(options, record, place) : null,
    usual: usualLimits(),
    inside,
  });
  return inDirectory(inPlaces(await runtime.open(record.id, policy), inside), policy);
}

/** Every command has its directory in PWD, with every runtime. */
function inDirectory(sandbox: Sandbox, { workingDirectory }: Policy): Sandbox {
  const run: Sandbox['run'] = command => {
    const PWD = command.workingDirectory ?? workingDirectory;
    return sandbox.run({ ...command, environment: { ...command.environment, PWD } });
  };
  return { ...sandbox, run };
}

/** Elsewhere git's private directory has its mounted path; here it has its real path. */
function inPlaces(sandbox: Sandbox, { git, areMounted }: InsidePlaces): Sandbox {
  if (areMounted) return sandbox;
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
