import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { Limits } from '../../domain/sandbox.js';
import { enforceableLimits, requireEnforceable } from '../limits/enforceable.js';
import type { Group } from '../limits/group.js';
import { findLimitMeans, type LimitMeans, openGroup } from '../limits/means.js';
import type { Policy } from '../policy.js';
import { buildSeccompFilter } from '../seccomp/filter.js';
import { type Bubblewrap, createLocator, type LocateOptions } from './locate.js';
import { type OwnEtc, renderOwnEtc } from './own-etc.js';
import { writeOwnEtc } from './own-etc-files.js';
import { readSystemLayout, type SystemLayout } from './system-layout.js';

export interface BubblewrapRuntimeOptions extends LocateOptions {
  /** As of `process.arch`. */
  readonly architecture: string;
  /** As of `os.release()`. */
  readonly kernel: string;
  readonly uid: number;
  /** This process. */
  readonly self: ProcessIdentity;
}

/** What is asked of the machine once and used by every sandbox. */
export interface Machine {
  readonly options: BubblewrapRuntimeOptions;
  /** The bubblewrap that is there now. */
  locate(): Promise<Bubblewrap | undefined>;
  /** SANDBOX_REFUSED for a processor without one. */
  filterFor(nested: boolean): Buffer;
}

export function createMachine(options: BubblewrapRuntimeOptions): Machine {
  const filters = new Map<boolean, Buffer>();
  return {
    options,
    locate: createLocator(options),
    filterFor(nested) {
      const filter = filters.get(nested) ?? buildSeccompFilter(options.architecture, { nested });
      filters.set(nested, filter);
      return filter;
    },
  };
}

/** Everything that is the same for all commands of one sandbox. */
export interface PreparedSandbox {
  readonly workspaceId: string;
  readonly policy: Policy;
  readonly options: BubblewrapRuntimeOptions;
  readonly bubblewrap: Bubblewrap;
  readonly layout: SystemLayout;
  readonly ownEtc: OwnEtc;
  readonly filter: Buffer;
  readonly means: LimitMeans;
  /** Most bytes of a memory file system of which the policy says nothing. */
  readonly scratchBytes: number;
  /** The control group of the next command; undefined when no limit asks for one, or none can be had. */
  createGroup(): Group | undefined;
}

/** LIMIT_NOT_ENFORCEABLE; SANDBOX_REFUSED for a processor without a filter. */
export async function prepareSandbox(
  { options, filterFor }: Machine,
  bubblewrap: Bubblewrap,
  workspaceId: string,
  policy: Policy,
): Promise<PreparedSandbox> {
  const means = findLimitMeans(options);
  requireEnforceable('bubblewrap', policy, enforceableLimits(means));
  const filter = filterFor(policy.nested);
  const contents = renderOwnEtc(policy.user, policy.hostname);
  const [layout, ownEtc] = await Promise.all([
    readSystemLayout(),
    writeOwnEtc(options.directory, contents, options.unique),
  ]);
  const { limits } = policy;
  const createGroup = () => openGroup('bubblewrap', means, policy, workspaceId, options);
  const scratchBytes = sizeScratch(limits);
  return {
    workspaceId,
    policy,
    options,
    bubblewrap,
    layout,
    ownEtc,
    filter,
    means,
    scratchBytes,
    createGroup,
  };
}

/** Memory that nothing else bounds; a build seldom puts more into /tmp. */
const SCRATCH_BYTES = 1024 ** 3;

const sizeScratch = ({ disk, memory }: Limits): number =>
  Math.min(SCRATCH_BYTES, disk ?? SCRATCH_BYTES, memory ?? SCRATCH_BYTES);
