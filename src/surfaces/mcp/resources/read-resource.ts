import {
  type ListResourcesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isCarrelError } from '../../../domain/error/error.js';
import type { Call, Connection } from '../connection/agent-connection.js';

export type Reading = Omit<Call, 'tell'>;

/** A transport accepts messages of 10 MB; escaping may double the length of a text. */
export const MOST_BYTES = 4 * 1024 ** 2;

/** Reads a text for a client; a missing resource is an error of the protocol. */
export async function readResource(
  connection: Connection,
  uri: URL,
  { mcpReq }: ServerContext,
  mimeType: string,
  read: (reading: Reading) => Promise<string>,
): Promise<ReadResourceResult> {
  try {
    const text = await inReading(connection, mcpReq.signal, read);
    return { contents: [{ uri: uri.href, mimeType, text }] };
  } catch (error) {
    if (isCarrelError(error) && error.kind === 'not-found')
      throw new ResourceNotFoundError(uri.href, error.message);
    throw error;
  }
}

/** Lists the resources. Empty outside of a repository, where agents with a user-wide setup also start Carrel. */
export async function listResources(
  connection: Connection,
  { mcpReq }: ServerContext,
  list: (reading: Reading) => Promise<ListResourcesResult['resources']>,
): Promise<ListResourcesResult> {
  try {
    return { resources: await inReading(connection, mcpReq.signal, list) };
  } catch (error) {
    if (isCarrelError(error, 'NOT_A_REPOSITORY', 'BARE_REPOSITORY')) return { resources: [] };
    throw error;
  }
}

function inReading<T>(
  connection: Connection,
  asked: AbortSignal,
  use: (reading: Reading) => Promise<T>,
): Promise<T> {
  return connection.calls.run(asked, async signal => {
    const { app, ...place } = await connection.ready();
    return use({ ...place, context: app, signal });
  });
}
