/**
 * Like Promise.all, but nothing is left running: waits for all of them, and throws the failure that comes first in the
 * list, not the one that was first in time.
 */
export async function allInOrder<const T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  const outcomes = await Promise.allSettled(promises);
  const failure = outcomes.find(outcome => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return outcomes.map(outcome => (outcome as PromiseFulfilledResult<unknown>).value) as {
    -readonly [Index in keyof T]: Awaited<T[Index]>;
  };
}
