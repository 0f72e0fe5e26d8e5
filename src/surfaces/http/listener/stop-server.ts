import type { Server } from 'node:http';
import type { Gate } from '../security/request-gate.js';

/**
 * Accepts no more connections, waits for running requests within the limit, then closes every connection. Streams stop by
 * themselves: they listen to the `stopping` signal.
 */
export async function stopListening(server: Server, { handlers, answers, limits }: Gate): Promise<void> {
  const closed = new Promise<void>(resolve => void server.close(() => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>(resolve => {
    timer = setTimeout(resolve, limits.stopMs);
  });
  await Promise.race([Promise.all([handlers.whenEmpty(), answers.whenEmpty()]), limit]);
  clearTimeout(timer);
  // Node does not count open connections without a request as idle: `close` alone would wait for them.
  server.closeAllConnections();
  await closed;
}
