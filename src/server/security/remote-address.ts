import type { ApiContext } from '../api.js';

/** From where the connection came. Headers that name another address are not believed. */
export const addressOf = (c: ApiContext): string => c.env.incoming.socket.remoteAddress ?? 'unknown';
