import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import { hideUrlCredentials } from '../../domain/secret/url-credentials.js';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';
import type { Engine } from '../engine/engine.js';
import { type FleetAddress, parseFleetAddress } from './fleet-address.js';
import { loadArtifacts, saveArtifacts } from './fleet-settings.js';
import { openArtifacts } from './open-artifacts.js';

export type FleetContext = Pick<Context, 'places' | 'cwd' | 'environment'>;

/** A fleet, as its workers and coordinators use it. */
export interface Fleet {
  /** Without a password. */
  readonly name: string;
  readonly engine: Engine;
  /** Where its files are. FLEET_ARTIFACTS_UNKNOWN. */
  openStore(): Promise<BlobStore>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** FLEET_ADDRESS_INVALID, FLEET_NOT_INITIALIZED, FLEET_ENGINE_MISSING, FLEET_UNAVAILABLE, FLEET_VERSION_DIFFERS. */
export async function openFleet(context: FleetContext, text: string): Promise<Fleet> {
  const address = parseFleetAddress(context, text);
  const engine = await openEngine(address, text);
  const name = nameOf(address);
  return {
    ...{ name, engine },
    openStore: async () => openArtifacts(context, await loadArtifacts(engine, name)),
    close: () => engine.close(),
  };
}

const nameOf = (address: FleetAddress): string =>
  address.kind === 'postgres' ? hideUrlCredentials(address.url) : address.directory;

/** The jobs of a fleet in a directory. */
export const fileOf = (directory: string): string => join(directory, 'fleet.db');

async function openEngine(address: FleetAddress, text: string): Promise<Engine> {
  if (address.kind === 'postgres') {
    const { openPostgresEngine } = await import('../postgres/open-postgres-engine.js');
    return openPostgresEngine({ url: address.url });
  }
  const file = fileOf(address.directory);
  if (!existsSync(file)) throw carrelError('FLEET_NOT_INITIALIZED', { location: text });
  const { openEmbeddedEngine } = await import('../embedded/open-embedded-engine.js');
  return openEmbeddedEngine({ file });
}

export interface InitializedFleet {
  /** Without a password. */
  readonly fleet: string;
  readonly artifacts: string;
}

/**
 * Creates the tables of a fleet, or upgrades them, and sets where its files are. Again has no effect. FLEET_UNAVAILABLE,
 * FLEET_ENGINE_MISSING, FLEET_VERSION_DIFFERS, FLEET_ARTIFACTS_UNKNOWN.
 */
export async function initFleet(
  context: FleetContext,
  text: string,
  artifacts: string | undefined,
): Promise<InitializedFleet> {
  const address = parseFleetAddress(context, text);
  await createTables(address);
  const engine = await openEngine(address, text);
  try {
    const location = await chooseArtifacts(context, { address, engine, artifacts });
    await prepareArtifacts(context, location);
    await saveArtifacts(engine, location);
    return { fleet: nameOf(address), artifacts: location };
  } finally {
    await engine.close();
  }
}

async function createTables(address: FleetAddress): Promise<void> {
  if (address.kind === 'postgres') {
    const { initPostgres } = await import('../postgres/init-postgres.js');
    await initPostgres(address.url);
    return;
  }
  const { openEmbeddedEngine } = await import('../embedded/open-embedded-engine.js');
  await (await openEmbeddedEngine({ file: fileOf(address.directory) })).close();
}

async function prepareArtifacts(context: FleetContext, location: string): Promise<void> {
  if (isAbsolute(location)) {
    const { prepareDirectory } = await import('../artifacts/directory/directory-store.js');
    await prepareDirectory(location);
    return;
  }
  // Without the token of another hub, this machine becomes one.
  if (/^https?:/.test(location) && !context.environment.CARREL_HUB_TOKEN) {
    const { prepareHub } = await import('../artifacts/hub/hub-settings.js');
    await prepareHub(context);
  }
  await openArtifacts(context, location);
}

/** The given place, the one that was set before, or the directory of a fleet on this machine. */
async function chooseArtifacts(
  { cwd }: FleetContext,
  { address, engine, artifacts }: { address: FleetAddress; engine: Engine; artifacts: string | undefined },
): Promise<string> {
  if (artifacts !== undefined) return artifacts.includes('://') ? artifacts : resolve(cwd, artifacts);
  if (address.kind === 'directory') return join(address.directory, 'blobs');
  return loadArtifacts(engine, nameOf(address));
}
