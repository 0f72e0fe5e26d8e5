import { describe, onTestFinished } from 'vitest';
import { describeAtomicChanges } from './contract/atomic-contract.js';
import { describeCommands } from './contract/commands-contract.js';
import { describeEvents } from './contract/events-contract.js';
import { describeJournal } from './contract/journal-contract.js';
import { describeLifetime } from './contract/lifetime-contract.js';
import { describeLocks } from './contract/locks-contract.js';
import { describePorts } from './contract/ports-contract.js';
import { describeRemains } from './contract/remains-contract.js';
import { describeSlots } from './contract/slots-contract.js';
import { describeSnapshots } from './contract/snapshots-contract.js';
import { describeTasks } from './contract/tasks-contract.js';
import { describeTrust } from './contract/trust-contract.js';
import { describeWorkspaces } from './contract/workspaces-contract.js';
import type { Store } from './store.js';

export interface StoreUnderTest {
  /** Empty. */
  readonly store: Store;
  /** The same data through another connection; the store itself when there can be only one. */
  readonly other: Store;
  /** Called when the test ends, even when the test has closed the stores already. */
  close(): Promise<void>;
}

/** The contract of store.ts as a vitest suite, for any store. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  const openForTest = async (): Promise<StoreUnderTest> => {
    const opened = await open();
    onTestFinished(() => opened.close());
    return opened;
  };
  describe(`${name} meets the contract of a store`, () => {
    describeWorkspaces(openForTest);
    describeSnapshots(openForTest);
    describeEvents(openForTest);
    describeJournal(openForTest);
    describeLocks(openForTest);
    describePorts(openForTest);
    describeTrust(openForTest);
    describeCommands(openForTest);
    describeAtomicChanges(openForTest);
    describeSlots(openForTest);
    describeRemains(openForTest);
    describeTasks(openForTest);
    describeLifetime(openForTest);
  });
}
