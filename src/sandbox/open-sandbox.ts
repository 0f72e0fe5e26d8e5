import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { carrelError } from '../domain/error.js';
import type { SandboxSettings } from '../domain/sandbox.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import type { Policy } from '../runtime/policy.js';
import type { RuntimeRegistry } from '../runtime/registry.js';
import type { Runtime, Sandbox } from '../runtime/runtime.js';
import { workspaceVariables } from '../workspace/environment.js';
import { buildPolicy } from './build-policy.js';
import { findJjDir } from './jj-face.js';
import { listBorrowers, listObjectStores } from './object-stores.js';
import type { SandboxPlace } from './place.js';
import { requireSettings } from './require-settings.js';
import { sandboxEnvironment } from './sandbox-environment.js';
import { findSurgicalMounts, type SurgicalMounts } from './surgical-mounts.js';

export interface OpenSandboxOptions {
  readonly runtimes: RuntimeRegistry;
  /** The caller's; of it only what the settings name gets inside. */
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
  const objectStores = record.commonDir === null ? [] : await listObjectStores(record.commonDir);
  const policy = buildPolicy(record, {
    place,
    settings,
    root: chooseRoot(runtime, settings),
    user: settings.user === null ? options.user : parseUser(settings.user),
    objectStores,
    borrowers: await listBorrowers(objectStores),
    environment: sandboxEnvironment(options.environment, settings, workspaceVariables(record)),
    jjDir: await findJjDir({ place, workTree: record.path }),
    engineSockets: settings.engineSocket ? await findEngineSockets(record, options) : [],
    surgical: await showSurgically(record, settings),
  });
  return runtime.open(record.id, policy);
}

/** What was made with the workspace and somebody has deleted since is not made anew: it held work. SANDBOX_DAMAGED. */
async function requireParts(
  { name, commonDir }: WorkspaceRecord,
  { git }: SandboxSettings,
  { home, gitDir }: SandboxPlace,
): Promise<void> {
  const parts = git === 'private' && commonDir !== null ? [home, gitDir] : [home];
  for (const path of parts)
    if (!(await exists(path))) throw carrelError('SANDBOX_DAMAGED', { workspace: name, path });
}

/** Without an image a container is made of this machine's own programs. */
function chooseRoot({ capabilities }: Runtime, { image }: SandboxSettings): Policy['root'] {
  return image !== null && capabilities.images ? { kind: 'image', image } : { kind: 'machine' };
}

/** Names are known to the image alone, numbers to everybody. */
function parseUser(user: string): Policy['user'] {
  const [, uid, gid = uid] = /^(\d+)(?::(\d+))?$/.exec(user) ?? [];
  if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  const expected = 'a number or two, such as "1000:1000"';
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
  return git === 'surgical' && commonDir !== null ? findSurgicalMounts({ ...record, commonDir }) : null;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
