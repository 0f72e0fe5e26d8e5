import { carrelError } from '../domain/error.js';
import type { SlotKind } from '../domain/slot.js';
import type { PoolDependencies } from './pool-dependencies.js';
import { poolDirectory } from './slot-place.js';

/** The kinds of slots that can be had here, the fastest first. Probed once, and again when probing failed. */
export function createKindChooser(dependencies: PoolDependencies): (wanted?: SlotKind) => Promise<SlotKind> {
  let probing: Promise<Probed> | undefined;
  return async wanted => {
    probing ??= probe(dependencies);
    const { possible, reasons } = await probing.catch(error => {
      probing = undefined;
      throw error;
    });
    const kind = possible.find(candidate => wanted === undefined || candidate === wanted);
    if (kind) return kind;
    const reason = reasons.join('; ') || `it has no ${wanted} slots`;
    throw carrelError('POOL_UNSUPPORTED', { repository: dependencies.repository.name, reason });
  };
}

interface Probed {
  readonly possible: readonly SlotKind[];
  readonly reasons: readonly string[];
}

async function probe({ kinds, settings, root, repository }: PoolDependencies): Promise<Probed> {
  const allowed = kinds.filter(({ kind }) => kind !== 'overlay' || settings.overlay === 'auto');
  const obstacles = await Promise.all(
    allowed.map(files => files.findObstacle(poolDirectory(root, repository.id), repository.commonDir)),
  );
  return {
    possible: allowed.filter((_, i) => obstacles[i] === null).map(({ kind }) => kind),
    reasons: obstacles.filter(obstacle => obstacle !== null),
  };
}
