import type { AttemptIsolation } from '../../domain/batch/attempt.js';
import type { EvalItem } from '../../domain/batch/eval-item.js';
import { findProgramIn } from '../../exec/find-program.js';
import type { Context } from '../../operations/context.js';
import { isMachineProgram } from '../../runtime/machine-programs.js';
import type { BrokenItem, Dataset } from './dataset.js';

/** Moves items that cannot run here, or not with this isolation, to the broken ones, with the reason. */
export function setAsideUnready(
  context: Pick<Context, 'environment'>,
  dataset: Dataset,
  isolation: AttemptIsolation,
): Dataset {
  const judged = dataset.items.map(item => ({ item, reason: findObstacle(context, item, isolation) }));
  const unready = judged.flatMap(({ item, reason }): BrokenItem[] =>
    reason === undefined ? [] : [{ id: item.id, reason }],
  );
  return {
    ...dataset,
    items: judged.filter(({ reason }) => reason === undefined).map(({ item }) => item),
    broken: [...dataset.broken, ...unready],
  };
}

function findObstacle(
  { environment }: Pick<Context, 'environment'>,
  item: EvalItem,
  isolation: AttemptIsolation,
): string | undefined {
  if (item.isolation && !item.isolation.includes(isolation))
    return `it cannot run with --isolation ${isolation}, only with ${item.isolation.join(' or ')}`;
  const missing = (isThere: (program: string) => boolean) => item.requires?.find(name => !isThere(name));
  if (isolation === 'docker') {
    // The programs of an image are not known before it runs; without an image, the container uses programs of this machine.
    const lacking = item.image === undefined ? missing(isMachineProgram) : undefined;
    return (
      lacking && `it needs ${lacking}, which a container gets only from an image, and the task names no image`
    );
  }
  const lacking = missing(name => findProgramIn(environment.PATH ?? '', name) !== undefined);
  return lacking && `it needs ${lacking}, which is not in PATH`;
}
