import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { LoadedConfig } from '../../config/load-config.js';
import { carrelError } from '../../domain/error/error.js';
import { isModulePath } from '../../domain/workspace/backend-name.js';
import type { BackendUse } from '../../workspace/custom/custom-backends.js';
import { trustDigest } from '../../workspace/setup/setup-commands.js';
import type { Context, Places } from '../context.js';
import { pinModule } from './pin-module.js';

// A backend runs on the host, with all rights of the user. A module that the repository names runs only after `carrel
// trust`, with the content that was approved; one that the user's own file names runs at once, and the approval that this
// records lets its workspaces be used after the setting has changed.

/** What `workspace.backend` means. */
export interface ConfiguredBackend {
  /** The absolute path of a module, or a registered name. */
  readonly name: string;
  /** Whether the user chose it, not the repository. */
  readonly isOwn: boolean;
}

/** BACKEND_UNAVAILABLE when a repository names a module outside of itself. */
export function findConfiguredBackend(
  { config, fromRepository }: Pick<LoadedConfig, 'config' | 'fromRepository'>,
  root: string,
  places: Places,
): ConfiguredBackend | null {
  const { backend } = config.workspace;
  if (backend === undefined) return null;
  if (!isModulePath(backend)) return { name: backend, isOwn: true };
  if (!fromRepository('workspace.backend'))
    return { name: resolve(dirname(places.userConfigFile), backend), isOwn: true };
  const path = relative(root, join(root, backend));
  if (!isAbsolute(backend) && !path.startsWith('..')) return { name: join(root, path), isOwn: false };
  const problem = 'a repository can only name its own modules, by a path below its directory';
  throw carrelError('BACKEND_UNAVAILABLE', { backend, problem });
}

/** The lines that approve the backend of a repository. */
export async function listRepositoryBackend(
  loaded: LoadedConfig,
  root: string,
  places: Places,
): Promise<string[]> {
  const configured = findConfiguredBackend(loaded, root, places);
  if (!configured || configured.isOwn) return [];
  const line = await pinModule(root, relative(root, configured.name));
  return line === undefined ? [] : [line];
}

/** Differs from that of setup commands: an approval of one must not count for the other. */
export const backendDigest = (lines: readonly string[]): string => trustDigest(['carrel backend', ...lines]);

const ownDigest = (module: string): string => trustDigest(['carrel backend of the user', module]);

/** BACKEND_NOT_TRUSTED unless the user chose the module, or approved it as it is now. */
export async function requireBackendTrust(
  context: Pick<Context, 'store' | 'loadConfig' | 'places'>,
  { backend, repository, repositoryId }: BackendUse,
): Promise<void> {
  const { trust } = context.store;
  if (await trust.find(repositoryId, ownDigest(backend))) return;
  const user = findConfiguredBackend(await context.loadConfig(null), repository, context.places);
  if (user?.name === backend) return;
  const path = relative(repository, backend);
  const line = path.startsWith('..') ? undefined : await pinModule(repository, path);
  if (line !== undefined && (await trust.find(repositoryId, backendDigest([line])))) return;
  throw carrelError('BACKEND_NOT_TRUSTED', { backend, repository });
}

/** Records that the user chose a module, for the time when the configuration no longer says so. */
export async function rememberOwnBackend(
  { store, now }: Pick<Context, 'store' | 'now'>,
  { backend, repository, repositoryId }: BackendUse,
): Promise<void> {
  const digest = ownDigest(backend);
  if (!isModulePath(backend) || (await store.trust.find(repositoryId, digest))) return;
  const commands = [`workspace.backend: ${backend}`];
  const grantedAt = new Date(now()).toISOString();
  await store.trust.grant({ repositoryId, repository, digest, commands, grantedAt }, [
    { type: 'trust.granted', repositoryId, workspaceId: null, data: { commands } },
  ]);
}
