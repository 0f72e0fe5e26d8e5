import { isInJjWorkspace } from '../../jj/repository.js';
import type { Repository } from '../../workspace/backend.js';
import type { Context } from '../context.js';
import { moveSnapshotsApart } from './migrate-kept-refs.js';

/** The repository at or above a directory. Where git and jj share one directory, it is jj's: jj users expect jj. */
export async function locateRepository(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'places' | 'narrate' | 'onStep'>,
  directory: string,
): Promise<Repository> {
  const repository = await context.backends.of(await detectBackend(directory)).locate(directory);
  await moveSnapshotsApart(context, repository);
  return repository;
}

export async function detectBackend(directory: string): Promise<'git' | 'jj'> {
  return (await isInJjWorkspace(directory)) ? 'jj' : 'git';
}
