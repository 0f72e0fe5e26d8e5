import type { Logger } from 'pino';
import type { App } from '../../app.js';
import type { EventHub } from './events/event-hub.js';

/** The context of the routes. */
export interface ServerContext {
  readonly app: App;
  readonly settings: ServerSettings;
  readonly events: EventHub;
  readonly log: Logger;
  readonly version: string;
  /** Aborted when the server starts to stop; streams then close. */
  readonly stopping: AbortSignal;
}

/** Fixed when the server starts. */
export interface ServerSettings {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Host names that requests may use besides localhost and the address itself. */
  readonly hostNames: readonly string[];
  /** Root of the repository in which it was started; null outside of one. */
  readonly repository: string | null;
  /** Directories of the repositories that requests may use. */
  readonly allowedRoots: readonly string[];
  /** URL prefixes from which repositories may be fetched. */
  readonly allowedUrls: readonly string[];
  /** The directory of the pages; null serves none. */
  readonly dashboardDirectory: string | null;
}
