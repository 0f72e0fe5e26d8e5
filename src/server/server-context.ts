import type { Logger } from 'pino';
import type { App } from '../app.js';
import type { EventHub } from './event-hub.js';

/** What the routes work with. */
export interface ServerContext {
  readonly app: App;
  readonly settings: ServerSettings;
  readonly events: EventHub;
  readonly log: Logger;
  readonly version: string;
  /** Aborted when the server begins to stop: streams end then. */
  readonly stopping: AbortSignal;
}

/** Decided at the start and the same until the end. */
export interface ServerSettings {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Names beside localhost and the address itself by which the server may be called. */
  readonly hostNames: readonly string[];
  /** Root of the repository that it was started in; null outside of one. */
  readonly repository: string | null;
  /** Directories in which repositories may lie that are asked for. */
  readonly allowedRoots: readonly string[];
  /** Beginnings of urls that repositories may be fetched from. */
  readonly allowedUrls: readonly string[];
  /** Where the pages are; null serves none. */
  readonly dashboardDirectory: string | null;
}
