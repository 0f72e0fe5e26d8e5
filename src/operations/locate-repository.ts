import { isInJjWorkspace } from '../jj/repository.js';
import type { Repository } from '../workspace/backend.js';
import type { Context } from './context.js';

/** The repository at or above a directory. Where both work in one directory, it is jj's: jj users expect jj. */
export async function locateRepository(context: Context, directory: string): Promise<Repository> {
  return context.backends[await detectBackend(directory)].locate(directory);
}

export async function detectBackend(directory: string): Promise<'git' | 'jj'> {
  return (await isInJjWorkspace(directory)) ? 'jj' : 'git';
}
