/** Collects the times of one contest by name. */
export function createStopwatch() {
  const samples = new Map();
  const record = (name, value) => {
    if (!samples.has(name)) samples.set(name, []);
    samples.get(name).push(value);
  };
  return {
    samples,
    record,
    /**
     * Times `action` once the machine is idle. `verify` checks that it really happened; when it throws,
     * there is no figure.
     */
    async time(name, settle, action, verify = () => undefined) {
      await settle();
      const start = performance.now();
      const result = await action();
      const elapsed = performance.now() - start;
      await verify(result);
      record(name, elapsed);
      return result;
    },
  };
}
