import { describe } from 'vitest';
import { describeClaiming } from './contract/claiming-contract.js';
import { describeFailing } from './contract/failing-contract.js';
import { describeHosts } from './contract/hosts-contract.js';
import { describeMoney } from './contract/money-contract.js';
import { describeRecording } from './contract/recording-contract.js';
import { createFleet, type EngineUnderTest } from './contract/sample-fleet.js';

/** The contract of engine.ts as a vitest suite, for any engine. */
export function engineContract(name: string, open: () => Promise<EngineUnderTest>): void {
  describe(`${name} meets the contract of an engine`, () => {
    const fleet = createFleet(open);
    describeClaiming(fleet);
    describeRecording(fleet);
    describeFailing(fleet);
    describeMoney(fleet);
    describeHosts(fleet);
  });
}
