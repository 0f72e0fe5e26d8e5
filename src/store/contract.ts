import { describe, onTestFinished } from 'vitest';
import { describeAtomicChanges } from './contract/atomic.js';
import { describeCommands } from './contract/commands.js';
import { describeEvents } from './contract/events.js';
import { describeJournal } from './contract/journal.js';
import { describeLifetime } from './contract/lifetime.js';
import { describeLocks } from './contract/locks.js';
import { describePorts } from './contract/ports.js';
import { describeRemains } from './contract/remains.js';
import { describeSlots } from './contract/slots.js';
import { describeSnapshots } from './contract/snapshots.js';
import { describeTasks } from './contract/tasks.js';
import { describeTrust } from './contract/trust.js';
import { describeWorkspaces } from './contract/workspaces.js';
import type { Store } from './store.js';

export interface StoreUnderTest {
  /** Empty. */
  readonly store: Store;
  /** The same data through another connection; the store itself when there can be only one. */
  readonly other: Store;
  /** Called when the test ends, also when the test has closed the stores already. */
  close(): Promise<void>;
}

/** Every promise of store.ts as a vitest suite, for any store. */
export function storeContract(name: string, open: () => Promise<StoreUnderTest>): void {
  const openForTest = async (): Promise<StoreUnderTest> => {
    const opened = await open();
    onTestFinished(() => opened.close());
    return opened;
  };
  describe(`${name} keeps the contract of a store`, () => {
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
