import { createRisk, type Risk } from '../domain/risk.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { listPrivateRefs } from '../sandbox/private-refs.js';
import type { TakenBack } from '../sandbox/sandboxes.js';
import type { Context } from './context.js';

/** Commits that are only inside a sandbox: those that were not taken back, stashes, and other branches. */
export async function findPrivateRisks(
  context: Context,
  record: WorkspaceRecord,
  taken: TakenBack | undefined,
): Promise<Risk[]> {
  if (record.sandbox?.git !== 'private' || record.commonDir === null) return [];
  const { gitDir } = (await context.sandboxes()).placeOf(record.id);
  const refs = [...(await listPrivateRefs(gitDir))].filter(([ref]) => isOfTheAgent(ref, record));
  const unknown = await findUnknown(context, record.commonDir, [...new Set(refs.map(([, id]) => id))]);
  const items = refs.filter(([, id]) => unknown.has(id)).map(([ref]) => ref);
  return [
    ...(taken?.outcome === 'refused'
      ? [createRisk('commits', 'its commits could not be taken back', [...taken.problems])]
      : []),
    ...(items.length > 0
      ? [
          createRisk(
            'commits',
            `commits that are only inside its sandbox: ${items.slice(0, 3).join(', ')}`,
            items,
          ),
        ]
      : []),
  ];
}

/**
 * Its own branch is taken back, what is under `refs/remotes` was copied from the repository, and under `refs/jj` jj keeps
 * all that ever was; those that count of them have refs of their own (see sandbox/follow-jj.ts).
 */
const isOfTheAgent = (ref: string, { branch }: WorkspaceRecord): boolean =>
  ref !== `refs/heads/${branch}` && !ref.startsWith('refs/remotes/') && !ref.startsWith('refs/jj/');

/** Of these commits, those that no ref of the repository leads to. */
async function findUnknown(
  context: Context,
  commonDir: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const place = { gitDir: commonDir };
  const known = ids.filter(id => id !== '');
  const text = await context.git.text(['cat-file', '--batch-check=%(objecttype)'], {
    ...place,
    stdin: known.map(id => `${id}\n`).join(''),
  });
  const types = text.split('\n');
  const there = known.filter((_, at) => types[at] === 'commit' || types[at] === 'tag');
  const unknown = new Set(ids.filter(id => !there.includes(id)));
  for (const id of there) {
    const walk = ['rev-list', '--max-count=1', id, '--not', '--branches', '--tags', '--remotes'];
    if ((await context.git.text(walk, place)) !== '') unknown.add(id);
  }
  return unknown;
}
