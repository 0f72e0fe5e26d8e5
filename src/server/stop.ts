import type { Server } from 'node:http';
import type { Gate } from './gate.js';

/**
 * Takes no more connections and waits for what is being answered, within the limit; then every connection is closed.
 * Streams end by themselves: they listen to the signal that was given before.
 */
export async function stopListening(server: Server, { handlers, answers, limits }: Gate): Promise<void> {
  const closed = new Promise<void>(resolve => void server.close(() => resolve()));
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>(resolve => {
    timer = setTimeout(resolve, limits.stopMs);
  });
  await Promise.race([Promise.all([handlers.whenEmpty(), answers.whenEmpty()]), limit]);
  clearTimeout(timer);
  // Those that are open and have sent nothing yet are not idle to Node: `close` alone would wait for them.
  server.closeAllConnections();
  await closed;
}
