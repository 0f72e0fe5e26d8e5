/**
 * Runs jobs in parallel, up to the given number: fills the slots, waits for the fastest, gives its slot to the next job.
 * `next` is called each time a slot is free; undefined means that there is nothing more to start. An error of `run` is
 * thrown once all started jobs have finished.
 */
export async function dispatch<Job>(
  parallelism: number,
  next: () => Job | undefined,
  run: (job: Job, slot: number) => Promise<void>,
): Promise<void> {
  const free = Array.from({ length: parallelism }, (_, index) => index);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const begin = (job: Job, slot: number): void => {
    const work: Promise<void> = run(job, slot)
      .catch(error => void failures.push(error))
      .finally(() => {
        free.push(slot);
        running.delete(work);
      });
    running.add(work);
  };
  for (;;) {
    while (free.length > 0 && failures.length === 0) {
      const job = next();
      if (job === undefined) break;
      begin(job, free.shift() as number);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  if (failures.length > 0) throw failures[0];
}
