/** The ref that pins a snapshot in its object store, for every backend. */
export const snapshotRef = (snapshotId: string): string => `refs/carrel/snapshots/${snapshotId}`;
