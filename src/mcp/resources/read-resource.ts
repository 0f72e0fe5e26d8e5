import {
  type ListResourcesResult,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isCarrelError } from '../../domain/error.js';
import type { Call, Desk } from '../desk.js';

export type Reading = Omit<Call, 'tell'>;

/** A transport holds a message of 10 MB; one that is escaped may be twice as long as its text. */
export const MOST_BYTES = 4 * 1024 ** 2;

/** Reads a text for a client; what is not there is said in the protocol's own way. */
export async function readResource(
  desk: Desk,
  uri: URL,
  { mcpReq }: ServerContext,
  mimeType: string,
  read: (reading: Reading) => Promise<string>,
): Promise<ReadResourceResult> {
  try {
    const text = await inReading(desk, mcpReq.signal, read);
    return { contents: [{ uri: uri.href, mimeType, text }] };
  } catch (error) {
    if (isCarrelError(error) && error.kind === 'not-found')
      throw new ResourceNotFoundError(uri.href, error.message);
    throw error;
  }
}

/** What there is to read; nothing outside of a repository, where agents that know Carrel everywhere also start it. */
export async function listResources(
  desk: Desk,
  { mcpReq }: ServerContext,
  list: (reading: Reading) => Promise<ListResourcesResult['resources']>,
): Promise<ListResourcesResult> {
  try {
    return { resources: await inReading(desk, mcpReq.signal, list) };
  } catch (error) {
    if (isCarrelError(error, 'NOT_A_REPOSITORY', 'BARE_REPOSITORY')) return { resources: [] };
    throw error;
  }
}

function inReading<T>(desk: Desk, asked: AbortSignal, use: (reading: Reading) => Promise<T>): Promise<T> {
  return desk.calls.run(asked, async signal => {
    const { app, ...place } = await desk.ready();
    return use({ ...place, context: app, signal });
  });
}
