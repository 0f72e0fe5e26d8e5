/** What pins a snapshot in its object store, whatever the backend. */
export const snapshotRef = (snapshotId: string): string => `refs/carrel/snapshots/${snapshotId}`;
