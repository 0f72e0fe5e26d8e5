export { providerContract } from '../batch/provider-contract.js';
export { engineContract } from '../fleet/engine/engine-contract.js';
export { runtimeContract } from '../runtime/contract.js';
export { createDummyRuntime } from '../runtime/dummy/runtime.js';
export { storeContract } from '../store/store-contract.js';
export { backendContract } from '../workspace/backend-contract.js';
export { createBackendParts } from './backend-parts.js';
