await import('vitest').catch(explainMissing);

/** Contract suites for isolation providers, backends, runtimes, stores and engines of a fleet, the parts that a backend is made with, and a runtime that runs nothing. Call the suites in a test file of vitest. */
export const {
  backendContract,
  createBackendParts,
  createDummyRuntime,
  engineContract,
  providerContract,
  runtimeContract,
  storeContract,
} = await import('./contracts.js');

function explainMissing(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new Error('carrel/testing needs vitest, which is not installed: npm install --save-dev vitest');
}
