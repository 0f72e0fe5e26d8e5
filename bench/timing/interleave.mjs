import { createStopwatch } from './stopwatch.mjs';

/**
 * Lets every contestant have its turn, `repeats` times over, so that a busy moment of the machine hits all of them.
 * A contestant is a name and `turn(round, stopwatch)`. One whose turn throws is out, and loses what was timed before: a
 * time is known before it is known whether the right thing happened in it.
 */
export async function interleave(contestants, repeats) {
  const stopwatches = new Map(contestants.map(({ name }) => [name, createStopwatch()]));
  const failures = new Map();
  for (let round = 0; round < repeats; round++) {
    for (const { name, turn } of contestants) {
      if (failures.has(name)) continue;
      await turn(round, stopwatches.get(name)).catch(error => failures.set(name, error.message));
    }
  }
  for (const name of failures.keys()) stopwatches.delete(name);
  return { samples: new Map([...stopwatches.values()].flatMap(({ samples }) => [...samples])), failures };
}
