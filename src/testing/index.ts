export { storeContract } from '../store/contract.js';
export { backendContract } from '../workspace/contract.js';
