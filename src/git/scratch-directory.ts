import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Runs `action` with a new directory below `parent` that is gone afterwards. The name tells who left it after a kill. */
export async function withScratchDirectory<T>(
  parent: string,
  action: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(parent, `carrel-${process.pid}-`));
  try {
    return await action(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
