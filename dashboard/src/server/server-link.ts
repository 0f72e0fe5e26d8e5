import type { CarrelClient } from '../../../src/client/carrel-client.js';
import { createClient } from '../../../src/client/create-client.js';
import { type Connection, createConnection } from './connection.js';
import { createLiveEvents, type LiveEvents } from './live-events.js';

/** All that the pages know of the server. */
export interface ServerLink {
  readonly client: CarrelClient;
  readonly connection: Connection;
  readonly live: LiveEvents;
}

/** The server that the page came from; a cookie says who is there. */
export function createServerLink(): ServerLink {
  const connection = createConnection();
  const live = createLiveEvents(() => client);
  const client = createClient({
    fetch: async (address, request) => {
      const response = await observedFetch(address, request, connection);
      if (response.ok && String(address).startsWith('/api/events')) live.opened();
      return response;
    },
  });
  return { client, connection, live };
}

const UNAUTHORIZED = 401;

/** Every request tells how the connection is, so that nothing has to ask for it. */
async function observedFetch(
  address: Parameters<typeof fetch>[0],
  request: RequestInit | undefined,
  connection: Connection,
): Promise<Response> {
  try {
    const response = await fetch(address, request);
    connection.report(response.status === UNAUTHORIZED ? 'expired' : 'live');
    return response;
  } catch (error) {
    if (!request?.signal?.aborted) connection.report('lost');
    throw error;
  }
}
