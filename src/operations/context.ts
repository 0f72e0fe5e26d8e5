import type { LoadedConfig } from '../config/load.js';
import type { IdSource } from '../domain/id.js';
import type { JournalKind } from '../domain/journal.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { Git } from '../git/git.js';
import type { Sandboxes } from '../sandbox/sandboxes.js';
import type { Store } from '../store/store.js';
import type { BackendRegistry } from '../workspace/registry.js';

/** What every use case works with. Made once by the composition root; tests make their own. */
export interface Context {
  readonly store: Store;
  readonly backends: BackendRegistry;
  readonly git: Git;
  /** Loaded at the first call: most commands have nothing to do with sandboxes. */
  readonly sandboxes: () => Promise<Sandboxes>;
  readonly ids: IdSource;
  readonly now: () => number;
  /** This process, as other processes will look for it. */
  readonly self: ProcessIdentity;
  readonly places: Places;
  /** The caller's environment, for commands that run in a workspace. */
  readonly environment: Readonly<Record<string, string>>;
  /** The caller's working directory. */
  readonly cwd: string;
  readonly loadConfig: (repositoryRoot: string | null) => Promise<LoadedConfig>;
  /** Narration for people: progress and warnings. Never the answer. */
  readonly narrate: (line: string) => void;
  /** Called at every step of every operation; the kill tests end the process here. */
  readonly onStep: (operation: JournalKind | 'settle' | 'task', step: string) => void;
  /**
   * Starts a Carrel of its own, without output and with low priority unless somebody waits for what it does, that
   * outlives this process; undefined when that is not possible. See exec/background.ts.
   */
  readonly startBackground: (
    args: readonly string[],
    options?: { readonly priority?: 'low' | 'normal' | undefined },
  ) => ProcessIdentity | undefined;
}

/** Directories that Carrel may write to. */
export interface Places {
  readonly stateDir: string;
  readonly cacheDir: string;
  /** The user's own configuration file; it need not exist. */
  readonly userConfigFile: string;
  readonly temporaryRoot: string;
}
