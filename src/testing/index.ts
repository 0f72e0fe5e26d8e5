export { runtimeContract } from '../runtime/contract.js';
export { createDummyRuntime } from '../runtime/dummy/runtime.js';
export { storeContract } from '../store/contract.js';
export { backendContract } from '../workspace/contract.js';
