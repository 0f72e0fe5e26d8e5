import { carrelError } from '../../domain/error/error.js';
import type { SlotKind } from '../../domain/workspace/slot.js';
import type { PoolDependencies } from '../pool-dependencies.js';
import { poolDirectory } from '../slot/slot-place.js';
import type { SlotFiles } from '../slot-files.js';

/**
 * The fastest kind of slots that is available here, or the requested one. Each kind is probed when it is first
 * considered: while overlays work, the others need no probe. A failed probe is repeated.
 */
export function createKindChooser(dependencies: PoolDependencies): (wanted?: SlotKind) => Promise<SlotKind> {
  const findObstacle = createObstacleFinder(dependencies);
  return async wanted => {
    const reasons: string[] = [];
    for (const files of listAllowed(dependencies, wanted)) {
      const obstacle = await findObstacle(files);
      if (obstacle === null) return files.kind;
      reasons.push(obstacle);
    }
    const reason = reasons.join('; ') || `it has no ${wanted} slots`;
    throw carrelError('POOL_UNSUPPORTED', { repository: dependencies.repository.name, reason });
  };
}

const listAllowed = ({ kinds, settings }: PoolDependencies, wanted: SlotKind | undefined) =>
  kinds
    .filter(({ kind }) => kind !== 'overlay' || settings.overlay === 'auto')
    .filter(({ kind }) => kind === (wanted ?? kind));

function createObstacleFinder({ root, repository }: PoolDependencies) {
  const probes = new Map<SlotKind, Promise<string | null>>();
  const directory = poolDirectory(root, repository.id);
  return (files: SlotFiles): Promise<string | null> => {
    const probing = probes.get(files.kind) ?? files.findObstacle(directory, repository.commonDir);
    probes.set(files.kind, probing);
    probing.catch(() => probes.delete(files.kind));
    return probing;
  };
}
