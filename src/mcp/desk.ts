import type { App } from '../app.js';
import type { Context } from '../operations/context.js';
import type { Repository } from '../workspace/backend.js';
import type { Calls } from './open-calls.js';

/** What an agent works with: one repository, with its workspaces and tasks. */
export interface Desk {
  readonly app: App;
  /** A directory in that repository. */
  readonly directory: string;
  readonly calls: Calls;
}

/** One call of a tool. */
export interface Call {
  /** Narrates to whoever called. */
  readonly context: Context;
  readonly repository: Repository;
  /** A directory in the repository, as operations take it. */
  readonly directory: string;
  /** Aborted when the call is cancelled or the connection is over. */
  readonly signal: AbortSignal;
  /** Says how far it is, to whoever asked to be told. */
  readonly tell: (message: string) => void;
}
