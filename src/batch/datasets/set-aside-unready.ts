import type { AttemptIsolation } from '../../domain/attempt.js';
import type { EvalItem } from '../../domain/eval-item.js';
import { findProgramIn } from '../../exec/find-program.js';
import type { Context } from '../../operations/context.js';
import { isMachineProgram } from '../../runtime/machine-programs.js';
import type { BrokenItem, Dataset } from '../dataset.js';

/** The data set with the items that can't run here, or not in this isolation, among the broken ones, with the reason. */
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
    return `it can't run with --isolation ${isolation}, only with ${item.isolation.join(' or ')}`;
  const missing = (isThere: (program: string) => boolean) => item.requires?.find(name => !isThere(name));
  if (isolation === 'docker') {
    // What an image has is not known before it runs; without one it is made of programs of this machine.
    const lacking = item.image === undefined ? missing(isMachineProgram) : undefined;
    return lacking && `it needs ${lacking}, which a container has from an image only, and it names no image`;
  }
  const lacking = missing(name => findProgramIn(environment.PATH ?? '', name) !== undefined);
  return lacking && `it needs ${lacking}, which is not in PATH`;
}
