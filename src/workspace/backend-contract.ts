import { describe } from 'vitest';
import type { ContractSetup } from './contract/backend-subject.js';
import { creatingContract } from './contract/creating-contract.js';
import { diffingContract } from './contract/diffing-contract.js';
import { inspectingContract } from './contract/inspecting-contract.js';
import { removingContract } from './contract/removing-contract.js';
import { snapshotContract } from './contract/snapshotting-contract.js';

/**
 * The test suite that every backend must pass. Call it in the backend's test file with a way to create a source and
 * a path for a workspace. Tests for optional parts that the backend does not have are skipped.
 */
export function backendContract(name: string, setup: ContractSetup): void {
  describe(`the backend contract: ${name}`, () => {
    describe('creating', () => creatingContract(setup));
    describe('looking', () => inspectingContract(setup));
    describe('diffing', () => diffingContract(setup));
    describe('snapshots', () => snapshotContract(setup));
    describe('removing', () => removingContract(setup));
  });
}
