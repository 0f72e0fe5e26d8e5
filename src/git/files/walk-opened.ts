import { isCarrelError } from '../../domain/error/error.js';
import type { BytePath } from '../byte-path.js';
import type { Omitted } from './ignored-files.js';
import { type Opened, openUnreadable } from './open-unreadable.js';
import type { FoundFile, FoundFiles } from './walk.js';

export interface WalkedPlace {
  readonly found: FoundFiles;
  /** What can't be read, as text. */
  readonly unreadable: readonly Omitted[];
}

/**
 * Walks a directory of Carrel's that a sandbox writes. Entries without permission are opened up and listed with their
 * original mode; unreadable ones don't hide the others.
 */
export async function walkOpened(
  root: string,
  walk: (leftOut?: ReadonlySet<BytePath>) => Promise<FoundFiles>,
): Promise<WalkedPlace> {
  const found = await orUndefined(walk());
  if (found && ![...found.files.values()].some(isClosed)) return { found, unreadable: [] };
  const opened = openUnreadable(root);
  const again = await walk(new Set(opened.leftOut.keys()));
  return { found: withModes(again, opened), unreadable: [...opened.leftOut.values()] };
}

async function orUndefined(walking: Promise<FoundFiles>): Promise<FoundFiles | undefined> {
  try {
    return await walking;
  } catch (error) {
    if (isCarrelError(error, 'FILE_UNREADABLE')) return undefined;
    throw error;
  }
}

const isClosed = ({ kind, mode }: FoundFile): boolean => kind === 'file' && (mode & 0o400) === 0;

const withModes = (found: FoundFiles, { modes }: Opened): FoundFiles => ({
  ...found,
  files: new Map(
    [...found.files].map(([path, file]) => [path, { ...file, mode: modes.get(path) ?? file.mode }]),
  ),
  directories: new Map([...found.directories].map(([path, mode]) => [path, modes.get(path) ?? mode])),
});
