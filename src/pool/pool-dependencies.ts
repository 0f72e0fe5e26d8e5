import type { IdSource } from '../domain/id.js';
import type { ProcessIdentity } from '../domain/process-identity.js';
import type { Git } from '../git/git.js';
import type { Store } from '../store/store.js';
import type { SlotFiles } from './slot-files.js';

/** Dependencies of a pool. */
export interface PoolDependencies {
  readonly store: Pick<Store, 'slots' | 'remains'>;
  readonly git: Git;
  readonly now: () => number;
  readonly ids: IdSource;
  /** This process: its leases are reclaimed when it is dead. */
  readonly self: ProcessIdentity;
  readonly repository: PoolRepository;
  /** The directory of all workspaces; slots are in `.pool`, and what is moved out of them goes to `.trash`. Real path. */
  readonly root: string;
  readonly settings: PoolSettings;
  /** The fastest first. */
  readonly kinds: readonly SlotFiles[];
  /** Throws when a limit of the disk forbids one more slot. */
  readonly requireRoom: () => Promise<void>;
  /** Called when remains are complete and can be captured or deleted. */
  readonly onRemains: (remainsId: string) => void;
}

/** Real paths. */
export interface PoolRepository {
  readonly id: string;
  /** The main work tree. */
  readonly root: string;
  readonly commonDir: string;
  readonly name: string;
}

export interface PoolSettings {
  /** Most slots, those in quarantine not counted. */
  readonly size: number;
  /** Ignored directories that outlive a lease. */
  readonly keep: readonly string[];
  readonly overlay: 'auto' | 'off';
}
