/**
 * Like Promise.all, but nothing is left running: waits for all promises, then throws the failure that is first in the
 * list, not the first in time.
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
