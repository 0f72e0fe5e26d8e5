import { dirname, join } from 'node:path';

/** The parts of a slot's directory; see `SlotFiles`. */
export interface SlotPlace {
  /** The files. */
  readonly workTree: string;
  readonly gitDir: string;
  /** The index as it was when the slot was last proven clean. */
  readonly pristineIndex: string;
  /** Where a reset puts what it found, until all of it is there. */
  readonly aside: string;
}

export const slotPlace = (directory: string): SlotPlace => ({
  workTree: join(directory, 'tree'),
  gitDir: join(directory, 'git'),
  pristineIndex: join(directory, 'index'),
  aside: join(directory, 'aside'),
});

/** Where the slots of a repository are. */
export const poolDirectory = (root: string, repositoryId: string): string =>
  join(root, '.pool', repositoryId);

/** Where a slot is: its id says it, so that a damaged record leads nowhere else. */
export const slotDirectory = (root: string, slot: { readonly id: string; readonly repositoryId: string }) =>
  join(poolDirectory(root, slot.repositoryId), slot.id);

/** The directory of all workspaces that a slot is below; it may differ from the caller's. */
export const rootOfSlot = ({ directory }: { readonly directory: string }): string =>
  dirname(dirname(dirname(directory)));

/** Where files wait to be captured or deleted; on the file system of the slots, so that a rename is enough. */
export const remainsDirectory = (root: string, remainsId: string): string => join(root, '.trash', remainsId);
