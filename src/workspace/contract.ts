import { describe } from 'vitest';
import { creatingContract } from './contract/creating.js';
import { diffingContract } from './contract/diffing.js';
import { lookingContract } from './contract/looking.js';
import { removingContract } from './contract/removing.js';
import { snapshotContract } from './contract/snapshots.js';
import type { ContractSetup } from './contract/subject.js';

/**
 * What every backend promises, as a test suite: call it in a test file of the backend with a way to make a source and
 * a place for a workspace. Parts that the backend declares not to have are not asked for.
 */
export function backendContract(name: string, setup: ContractSetup): void {
  describe(`the backend contract, by ${name}`, () => {
    describe('creating', () => creatingContract(setup));
    describe('looking', () => lookingContract(setup));
    describe('diffing', () => diffingContract(setup));
    describe('snapshots', () => snapshotContract(setup));
    describe('removing', () => removingContract(setup));
  });
}
