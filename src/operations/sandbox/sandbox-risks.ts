import { createRisk, type Risk } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Git } from '../../git/git.js';
import { listPrivateGit, listPrivateJj } from '../../git/snapshot/restore/private-git-files.js';
import { listPrivateHome } from '../../git/snapshot/restore/private-home.js';
import { listPrivateRefs } from '../../sandbox/private-git/private-refs.js';
import type { SandboxPlace } from '../../sandbox/sandbox-place.js';
import type { ImportedCommits } from '../../sandbox/sandboxes.js';
import { itemRisk } from '../../workspace/work/file-risks.js';
import type { Context } from '../context.js';
import { findSnapshotRules } from '../settings/snapshot-rules.js';

/** What is only inside a sandbox: commits that were not imported, stashes, other branches, and a home. */
export async function findPrivateRisks(
  context: Pick<Context, 'git' | 'sandboxes' | 'loadConfig'>,
  record: WorkspaceRecord,
  imported?: ImportedCommits,
): Promise<Risk[]> {
  if (!record.sandbox) return [];
  const place = (await context.sandboxes()).placeOf(record.id);
  const { limits } = await findSnapshotRules(context, record);
  const { beyondLimit } = await listPrivateHome(place.home, limits);
  return [
    ...(record.sandbox.git === 'private' ? await findCommitRisks(context, record, place, imported) : []),
    ...itemRisk(
      'large-ignored',
      'files in its private home that no snapshot can hold:',
      pathsOf(beyondLimit),
    ),
  ];
}

async function findCommitRisks(
  context: Pick<Context, 'git'>,
  { commonDir }: WorkspaceRecord,
  { gitDir }: SandboxPlace,
  imported: ImportedCommits | undefined,
): Promise<Risk[]> {
  if (commonDir === null) return [];
  const { refs, unread } = await listPrivateRefs(gitDir);
  const unknown = await findUnknown(context, commonDir, new Set(refs.values()));
  const items = [...refs].filter(([, id]) => unknown.has(id)).map(([ref]) => ref);
  const git = await listPrivateGit(gitDir);
  const jj = await listPrivateJj(gitDir);
  const beyond = pathsOf([...git.beyondLimit, ...jj.beyondLimit]);
  return [
    ...(imported?.outcome === 'refused'
      ? [createRisk('commits', 'its commits could not be imported', [...imported.problems])]
      : []),
    ...itemRisk('commits', 'commits that exist only in its sandbox:', items),
    ...itemRisk('commits', 'refs in its sandbox that cannot be read:', unread),
    ...itemRisk('commits', "parts of its sandbox's git directory that no snapshot can hold:", beyond),
  ];
}

const pathsOf = (omitted: readonly { readonly path: string }[]): string[] => omitted.map(({ path }) => path);

/** Those of these objects that no branch or tag of the repository reaches. */
async function findUnknown(
  { git }: Pick<Context, 'git'>,
  gitDir: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const named = await git.text(['for-each-ref', '--format=%(objectname)', ...KNOWN], { gitDir });
  const known = new Set(named.split('\n').filter(Boolean));
  const commits = await findCommits(
    git,
    gitDir,
    [...ids].filter(id => !known.has(id)),
  );
  const apart = await listApart(git, gitDir, [...commits.values()]);
  for (const [id, commit] of commits) if (!apart.has(commit)) known.add(id);
  return new Set([...ids].filter(id => !known.has(id)));
}

const KNOWN = ['refs/heads', 'refs/tags', 'refs/remotes'];

/** The commits that are meant, of those that the repository has. An id that could not be read is empty. */
async function findCommits(git: Git, gitDir: string, ids: readonly string[]): Promise<Map<string, string>> {
  const asked = ids.filter(Boolean);
  if (asked.length === 0) return new Map();
  const query = ['cat-file', '--batch-check=%(objecttype) %(objectname)'];
  const stdin = asked.map(id => `${id}^{commit}\n`).join('');
  const answers = (await git.text(query, { gitDir, stdin })).split('\n').map(line => line.split(' '));
  return new Map(
    asked.flatMap((id, at) => {
      const [type, commit = ''] = answers[at] ?? [];
      return type === 'commit' ? [[id, commit] as const] : [];
    }),
  );
}

async function listApart(git: Git, gitDir: string, commits: readonly string[]): Promise<Set<string>> {
  if (commits.length === 0) return new Set();
  const walk = ['rev-list', '--stdin', '--not', '--branches', '--tags', '--remotes'];
  const stdin = `${[...new Set(commits)].join('\n')}\n`;
  return new Set((await git.text(walk, { gitDir, stdin })).split('\n'));
}
