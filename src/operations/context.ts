import type { LoadedConfig } from '../config/load-config.js';
import type { IdSource } from '../domain/id.js';
import type { JournalKind } from '../domain/journal.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { Redactor } from '../domain/secret/redactor.js';
import type { Git } from '../git/git.js';
import type { Sandboxes } from '../sandbox/sandboxes.js';
import type { Store } from '../store/store.js';
import type { Repository } from '../workspace/backend.js';
import type { BackendRegistry } from '../workspace/backend-registry.js';
import type { CustomBackends } from '../workspace/custom/custom-backends.js';
import type { FleetTasks } from './task/fleet-tasks.js';

/** Dependencies of every use case. Created once by the composition root; tests make their own. */
export interface Context {
  readonly store: Store;
  readonly backends: BackendRegistry;
  /** Backends of users; `backends` has those that are prepared. */
  readonly customBackends: Pick<CustomBackends, 'names' | 'prepare'>;
  readonly git: Git;
  /** Loaded at the first call: most commands have nothing to do with sandboxes. */
  readonly sandboxes: () => Promise<Sandboxes>;
  /** Loaded at the first call, as fleets are. */
  readonly fleetTasks: () => Promise<FleetTasks>;
  readonly ids: IdSource;
  readonly now: () => number;
  /** The machine's uptime and boot id, independent of its clock. */
  readonly steadyTime: () => { readonly boot: string; readonly uptimeMs: number };
  /** This process, as other processes will look for it. */
  readonly self: ProcessIdentity;
  readonly places: Places;
  /** The caller's environment, for commands that run in a workspace. */
  readonly environment: Readonly<Record<string, string>>;
  /** Redacts secrets in everything that is stored; it learns them when configuration is loaded. */
  readonly redactor: Redactor;
  /** The caller's working directory. */
  readonly cwd: string;
  readonly loadConfig: (repositoryRoot: string | null) => Promise<LoadedConfig>;
  /** Narration for the user: progress and warnings. Never the answer. */
  readonly narrate: (line: string) => void;
  /** Called at every step of every operation; the kill tests kill the process here. */
  readonly onStep: (operation: JournalKind | 'settle' | 'task', step: string) => void;
  /** What `gc` could remove now. Injected, because removal must not depend on cleanup. */
  readonly findFreeable: (
    repository: Repository,
  ) => Promise<{ readonly count: number; readonly bytes: number }>;
  /**
   * Starts a separate Carrel process without output, with low priority unless a command waits for it, that outlives this process;
   * undefined when that is not possible. See exec/background-process.ts.
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
