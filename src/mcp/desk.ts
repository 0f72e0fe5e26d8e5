import type { App } from '../app.js';
import type { Context } from '../operations/context.js';
import type { Repository } from '../workspace/backend.js';
import type { Calls } from './open-calls.js';

/** What an agent works with: one repository, with its workspaces and tasks. */
export interface Desk {
  /** What is opened while the connection is being made, so that nobody who connects waits for it. */
  readonly ready: () => Promise<ReadyDesk>;
  readonly calls: Calls;
}

export interface ReadyDesk {
  readonly app: App;
  /** The same as long as the connection lasts: what an agent writes where it was started leads to no other one. */
  readonly repository: Repository;
  /** A directory in the repository, as operations take it. */
  readonly directory: string;
}

/** One call of a tool. */
export interface Call extends Omit<ReadyDesk, 'app'> {
  /** Narrates to whoever called. */
  readonly context: Context;
  /** Aborted when the call is cancelled or the connection is over. */
  readonly signal: AbortSignal;
  /** Says how far it is, to whoever asked to be told. */
  readonly tell: (message: string) => void;
}
