import type { App } from '../app.js';
import { locateRepository } from '../operations/locate-repository.js';
import type { Desk, ReadyDesk } from './desk.js';
import { openCalls } from './open-calls.js';

export interface OpenDesk extends Desk {
  /** Ends all calls. */
  close(): Promise<void>;
}

/** Opens a desk on the repository around a directory. What goes wrong is told to each call, which then tries again. */
export function openDesk(directory: string, openApp: () => Promise<App>): OpenDesk {
  const app = untilMade(openApp);
  const desk = untilMade(async () => locateDesk(await app.make(), directory));
  const calls = openCalls();
  desk.make().catch(() => undefined);
  return {
    ready: desk.make,
    calls,
    close: async () => {
      await calls.end();
      // Whoever looks for the repository uses it.
      await desk.latest()?.catch(() => undefined);
      const opened = await app.latest()?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** The agent may be in a worktree, of Carrel's or its own making, from which no workspace can be made. */
async function locateDesk(app: App, directory: string): Promise<ReadyDesk> {
  const repository = await locateRepository(app, directory);
  return { app, repository, directory: repository.root };
}

interface MadeOnce<T> {
  readonly make: () => Promise<T>;
  /** What is there or under way; undefined after a failure. */
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
