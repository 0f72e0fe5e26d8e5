import type { App } from '../../../app.js';
import type { Context } from '../../../operations/context.js';
import type { Repository } from '../../../workspace/backend.js';
import type { Calls } from './running-calls.js';

/** The connection of one agent: one repository, with its workspaces and tasks. */
export interface Connection {
  /** Opened in the background, so that connecting does not wait for it. */
  readonly ready: () => Promise<ReadyConnection>;
  readonly calls: Calls;
}

export interface ReadyConnection {
  readonly app: App;
  /** The same for the whole connection: nothing that an agent writes in its start directory can change it. */
  readonly repository: Repository;
  /** A directory in the repository, as operations take it. */
  readonly directory: string;
}

/** One call of a tool. */
export interface Call extends Omit<ReadyConnection, 'app'> {
  /** Narrates to the caller. */
  readonly context: Context;
  /** Aborted when the call is cancelled or the connection closes. */
  readonly signal: AbortSignal;
  /** Reports progress to a caller that requested it. */
  readonly tell: (message: string) => void;
}
