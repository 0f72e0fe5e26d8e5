import type { BuiltInBackendName } from '../domain/workspace/backend-name.js';
import type { BackendName } from '../domain/workspace/workspace.js';
import type { Git } from '../git/git.js';
import type { Backend } from './backend.js';

export type BuiltInBackends = Readonly<Record<BuiltInBackendName, Backend>>;

/** All backends. Filled by the composition root. */
export interface BackendRegistry extends BuiltInBackends {
  /**
   * Carrel's own, or one that a workspace or snapshot read from the store names (see custom/custom-backends.ts). One that
   * can't be used fails at every call.
   */
  of(name: BackendName): Backend;
}

/** What a backend of a user is made with. */
export interface BackendParts {
  /** Runs git without the user's settings, hooks and prompts. */
  readonly git: Git;
  /** Carrel's own backends: build on one of them, and replace what is different. */
  readonly backends: BuiltInBackends;
  /** Carrel's state directory, for what must outlive a workspace. */
  readonly stateDir: string;
  readonly temporaryRoot: string;
}

/**
 * Makes a backend. It is the default export of the module that `workspace.backend` names, and what
 * `createCarrel({ backends })` takes.
 *
 * @example
 * ```js
 * export default ({ backends }) => ({
 *   ...backends.directory,
 *   create: (record, hooks) => backends.directory.create(record, { ...hooks, populate: () => copy(record) }),
 * });
 * ```
 */
export type BackendFactory = (parts: BackendParts) => Backend | Promise<Backend>;
