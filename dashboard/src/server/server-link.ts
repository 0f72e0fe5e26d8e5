import type { CarrelClient } from '../../../src/surfaces/client/carrel-client.js';
import { createClient } from '../../../src/surfaces/client/create-client.js';
import { type Connection, createConnection } from './connection.js';
import { createLiveEvents, type LiveEvents } from './live-events.js';
import { findSessionKey, forgetSessionKey, whenForgotten } from './session-key.js';

/** Everything that the pages know about the server. */
export interface ServerLink {
  readonly client: CarrelClient;
  readonly connection: Connection;
  readonly live: LiveEvents;
  /** Ends the session of this browser on the server, and so in all tabs. */
  readonly signOut: () => Promise<void>;
}

/** The server that the page came from; a cookie and a key authenticate the browser. */
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
  whenForgotten(() => connection.report('expired'));
  const signOut = async () => {
    await client.endSession();
    forgetSessionKey();
    connection.report('expired');
  };
  return { client, connection, live, signOut };
}

/** Its value proves that a page of this server sent the request. The cookie alone does not: other ports get it too. */
const KEY_HEADER = 'x-carrel-session';

function withKey(request: RequestInit | undefined): RequestInit {
  const headers = new Headers(request?.headers);
  const key = findSessionKey();
  if (key !== null) headers.set(KEY_HEADER, key);
  return { ...request, headers };
}

const UNAUTHORIZED = 401;

/** Every request updates the connection state, so that no extra request is needed. */
async function observedFetch(
  address: Parameters<typeof fetch>[0],
  request: RequestInit | undefined,
  connection: Connection,
): Promise<Response> {
  try {
    const response = await fetch(address, withKey(request));
    connection.report(response.status === UNAUTHORIZED ? 'expired' : 'live');
    return response;
  } catch (error) {
    if (!request?.signal?.aborted) connection.report('lost');
    throw error;
  }
}
