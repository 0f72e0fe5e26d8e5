import { readFile } from 'node:fs/promises';
import { allInOrder } from '../../domain/all-in-order.js';
import { ignoreMissing } from '../../domain/error/error.js';
import type { ProcessIdentity } from '../../domain/process-identity.js';
import type { Limits } from '../../domain/sandbox/sandbox.js';
import type { Group } from '../limits/cgroup.js';
import { enforceableLimits, requireEnforceable } from '../limits/enforceable-limits.js';
import { findLimitMeans, type LimitMeans, openGroup } from '../limits/limit-means.js';
import { withUsualLimits } from '../limits/usual-limits.js';
import { renderResolvConf } from '../own-network/resolver.js';
import type { Policy } from '../policy.js';
import { buildSeccompFilter } from '../seccomp/seccomp-filter.js';
import { type OwnEtc, renderOwnEtc } from './layout/own-etc.js';
import { writeOwnEtc } from './layout/own-etc-files.js';
import { readSystemLayout, type SystemLayout } from './layout/system-layout.js';
import { type Bubblewrap, createBubblewrapLocator, type LocateOptions } from './locate-bubblewrap.js';

export interface BubblewrapRuntimeOptions extends LocateOptions {
  /** As of `process.arch`. */
  readonly architecture: string;
  /** As of `os.release()`. */
  readonly kernel: string;
  readonly uid: number;
  /** This process. */
  readonly self: ProcessIdentity;
}

/** Looked up once and used by every sandbox. */
export interface Machine {
  readonly options: BubblewrapRuntimeOptions;
  /** The bubblewrap that is installed now. */
  locate(): Promise<Bubblewrap | undefined>;
  /** SANDBOX_REFUSED for a processor without one. */
  filterFor(nested: boolean): Buffer;
}

export function createMachine(options: BubblewrapRuntimeOptions): Machine {
  const filters = new Map<boolean, Buffer>();
  return {
    options,
    locate: createBubblewrapLocator(options),
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
  /** Maximum size of a memory file system that the policy does not limit. */
  readonly scratchBytes: number;
  /** The control group of the next command; undefined when no limit needs one, or none is available. */
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
  const enforceable = enforceableLimits(means);
  requireEnforceable('bubblewrap', policy, enforceable);
  const filter = filterFor(policy.nested);
  const contents = {
    ...renderOwnEtc(policy.user, policy.hostname),
    ...(policy.network === 'full' ? { '/etc/resolv.conf': renderResolvConf(await readResolvConf()) } : {}),
  };
  const [layout, ownEtc] = await allInOrder([
    readSystemLayout(),
    writeOwnEtc(options.directory, contents, options.unique),
  ]);
  const { limits } = policy;
  const held = { ...policy, limits: withUsualLimits(policy, enforceable) };
  // The default limits are no reason to refuse a command.
  const createGroup = () =>
    (policy.usual &&
      openGroup('bubblewrap', means, { ...held, enforcement: 'best-effort' }, workspaceId, options)) ??
    openGroup('bubblewrap', means, policy, workspaceId, options);
  const scratchBytes = sizeScratch(limits);
  return {
    workspaceId,
    policy: held,
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

const readResolvConf = async (): Promise<string> =>
  (await readFile('/etc/resolv.conf', 'utf8').catch(ignoreMissing)) ?? '';

/** Memory that has no other limit; builds rarely put more into /tmp. */
const SCRATCH_BYTES = 1024 ** 3;

const sizeScratch = ({ disk, memory }: Limits): number =>
  Math.min(SCRATCH_BYTES, disk ?? SCRATCH_BYTES, memory ?? SCRATCH_BYTES);
