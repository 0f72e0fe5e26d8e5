import { isAbsolute } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import type { BlobStore } from '../artifacts/blob-store.js';

/**
 * The store at a location: a directory that all machines see, `s3://BUCKET/PREFIX?endpoint=URL&region=NAME` with the
 * keys of this machine's environment, or the URL of a hub. FLEET_ADDRESS_INVALID.
 */
export async function openArtifacts(
  context: Pick<Context, 'environment' | 'places'>,
  location: string,
): Promise<BlobStore> {
  const { environment } = context;
  if (isAbsolute(location)) {
    const { openDirectoryStore } = await import('../artifacts/directory/directory-store.js');
    return openDirectoryStore(location);
  }
  if (location.startsWith('s3://')) return openBucket(environment, location);
  if (/^https?:\/\//.test(location)) {
    const { openHubStore } = await import('../artifacts/hub/hub-client.js');
    const { findHubSettings } = await import('../artifacts/hub/hub-settings.js');
    // The hub itself has its token, other machines are given it.
    const own = environment.CARREL_HUB_TOKEN ? undefined : await findHubSettings(context);
    const token = own?.token ?? requireVariable(environment, 'CARREL_HUB_TOKEN', location);
    return openHubStore({ url: location, token });
  }
  throw invalid(JSON.stringify(location), 'an absolute path, s3://BUCKET or https://…');
}

const invalid = (found: string, expected: string) =>
  carrelError('FLEET_ADDRESS_INVALID', { what: 'the place of the artifacts', found, expected });

async function openBucket(environment: Context['environment'], location: string): Promise<BlobStore> {
  const { openS3Store } = await import('../artifacts/s3/s3-store.js');
  const url = new URL(location);
  const region = url.searchParams.get('region') ?? environment.AWS_REGION ?? 'us-east-1';
  const endpoint = url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  return openS3Store({
    ...{ endpoint, region, bucket: url.hostname, prefix: prefix === '' ? '' : `${prefix}/` },
    accessKeyId: requireVariable(environment, 'AWS_ACCESS_KEY_ID', location),
    secretAccessKey: requireVariable(environment, 'AWS_SECRET_ACCESS_KEY', location),
    sessionToken: environment.AWS_SESSION_TOKEN,
  });
}

function requireVariable(environment: Context['environment'], name: string, location: string): string {
  const value = environment[name];
  if (value !== undefined && value !== '') return value;
  throw invalid(`${location} without ${name}`, `${name} in the environment`);
}
