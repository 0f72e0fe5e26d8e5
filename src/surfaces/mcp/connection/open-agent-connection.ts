import type { App } from '../../../app.js';
import { locateRepository } from '../../../operations/repository/locate-repository.js';
import type { Connection, ReadyConnection } from './agent-connection.js';
import { openCalls } from './running-calls.js';

export interface OpenConnection extends Connection {
  /** Stops all calls. */
  close(): Promise<void>;
}

/** Opens a connection to the repository around a directory. A failure is reported to each call; the next call tries again. */
export function openConnection(directory: string, openApp: () => Promise<App>): OpenConnection {
  const app = untilMade(openApp);
  const place = untilMade(async () => locateConnection(await app.make(), directory));
  const calls = openCalls();
  place.make().catch(() => undefined);
  return {
    ready: place.make,
    calls,
    close: async () => {
      await calls.end();
      // The search for the repository uses the app.
      await place.latest()?.catch(() => undefined);
      const opened = await app.latest()?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** The agent may be in a worktree, from which no workspace can be made. */
async function locateConnection(app: App, directory: string): Promise<ReadyConnection> {
  const repository = await locateRepository(app, directory);
  return { app, repository, directory: repository.root };
}

interface MadeOnce<T> {
  readonly make: () => Promise<T>;
  /** The current or pending value; undefined after a failure. */
  readonly latest: () => Promise<T> | undefined;
}

function untilMade<T>(create: () => Promise<T>): MadeOnce<T> {
  let latest: Promise<T> | undefined;
  const forget = (error: unknown) => {
    latest = undefined;
    throw error;
  };
  return {
    make: () => {
      latest ??= create().catch(forget);
      return latest;
    },
    latest: () => latest,
  };
}
