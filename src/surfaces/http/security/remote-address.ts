import type { ApiContext } from '../api.js';

/** The address of the connection. Headers with another address are ignored. */
export const addressOf = (c: ApiContext): string => c.env.incoming.socket.remoteAddress ?? 'unknown';
