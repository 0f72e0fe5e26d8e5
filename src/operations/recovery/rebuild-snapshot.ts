import { carrelError } from '../../domain/error/error.js';
import type { Snapshot } from '../../domain/snapshot/snapshot.js';
import { parseSnapshotMessage, type SnapshotNote } from '../../domain/snapshot/snapshot-note.js';
import { readSnapshotMeta, type SnapshotMeta } from '../../git/snapshot/snapshot-meta.js';
import { snapshotRef } from '../../workspace/snapshot/snapshot-ref.js';
import type { Context } from '../context.js';
import type { GitRepository } from '../repository/find-unrecorded.js';
import { findSnapshotRules } from '../settings/snapshot-rules.js';
import { applyTemplate } from '../settings/workspace-settings.js';

const DAY_MS = 86_400_000;

/** Rebuilds the record of a snapshot that has a ref in the repository. Returns a message. */
export async function rebuildSnapshot(
  context: Context,
  repository: GitRepository,
  id: string,
): Promise<string> {
  const { commonDir, root, id: repositoryId } = repository;
  const found = await readCommit(context, commonDir, id);
  const meta = await readSnapshotMeta(context.git, commonDir, found.commit);
  const note = parseSnapshotMessage(found.message) ?? (await describe(context, repository, found, meta));
  const kept = meta.kept ?? null;
  const described = { ...note, repository: root, repositoryId, omitted: toOmitted(meta), kept };
  return insert(context, described, id, { objectStore: commonDir, ...found });
}

/** The same for one in the vault. Only its own note names its directory. */
export async function rebuildCopySnapshot(
  context: Pick<Context, 'store' | 'backends' | 'customBackends' | 'git' | 'now' | 'loadConfig'>,
  vault: string,
  id: string,
): Promise<string> {
  const found = await readCommit(context, vault, id);
  const note = parseSnapshotMessage(found.message);
  if (!note?.repository || !note.repositoryId)
    return `left the snapshot ${id} alone: its directory is unknown; list its files with: git -C ${vault} ls-tree -r ${found.commit}`;
  const { repository, repositoryId } = note;
  const described = { ...note, repository, repositoryId, omitted: [] };
  return insert(context, described, id, { objectStore: vault, ...found });
}

interface FoundCommit {
  readonly commit: string;
  readonly message: string;
  readonly at: string;
}

async function readCommit({ git }: Pick<Context, 'git'>, gitDir: string, id: string): Promise<FoundCommit> {
  const query = ['log', '-1', '--format=%H%x00%cI%x00%B', '--end-of-options', snapshotRef(id), '--'];
  const [commit = '', at = '', message = ''] = (await git.text(query, { gitDir })).split('\0');
  return { commit, message, at: new Date(at).toISOString() };
}

type Described = SnapshotNote & Pick<Snapshot, 'repository' | 'repositoryId' | 'omitted' | 'kept'>;

async function insert(
  context: Pick<Context, 'store' | 'backends' | 'customBackends' | 'git' | 'now' | 'loadConfig'>,
  described: Described,
  id: string,
  { objectStore, commit }: Pick<Snapshot, 'objectStore'> & Pick<FoundCommit, 'commit'>,
): Promise<string> {
  const { keepDays } = await findSnapshotRules(context, described);
  const snapshot: Snapshot = {
    ...described,
    ...{ id, commit, objectStore },
    ref: snapshotRef(id),
    files: await countFiles(context, objectStore, commit),
    // As if it were taken now: its expiry could not be noticed.
    expiresAt: new Date(context.now() + keepDays * DAY_MS).toISOString(),
  };
  await context.customBackends.prepare([snapshot]);
  if ((await context.backends.of(snapshot.backend).snapshots?.verify(snapshot)) !== commit)
    throw carrelError('SNAPSHOT_BROKEN', { id, problem: 'objects of it are missing' });
  const { repositoryId, workspaceId, workspaceName } = snapshot;
  await context.store.snapshots.insert(snapshot, [
    { type: 'snapshot.rebuilt', repositoryId, workspaceId, data: { snapshot: id } },
  ]);
  return `rebuilt the snapshot ${id} of ${workspaceName}`;
}

/** Of a commit without a note, which an earlier Carrel made. A sandboxed workspace is restored into a sandbox only. */
async function describe(
  context: Pick<Context, 'places' | 'environment' | 'loadConfig'>,
  repository: GitRepository,
  { message, at }: FoundCommit,
  { head, foreign }: SnapshotMeta,
): Promise<SnapshotNote> {
  const { branchPrefix, sandbox } = await applyTemplate(context, repository, undefined);
  const { branch } = head;
  const name = branch?.startsWith(branchPrefix) ? branch.slice(branchPrefix.length) : branch;
  const said = message.trim();
  return {
    workspaceId: 'unknown',
    workspaceName: name ?? 'unknown',
    backend: 'git',
    branch,
    base: { ref: null, commit: head.commit },
    ...(foreign && { isolation: 'full' as const, sandbox, isStrict: true }),
    reason: 'asked',
    message: said === 'carrel: snapshot' ? null : said,
    createdAt: at,
  };
}

const toOmitted = ({ omitted }: SnapshotMeta): Snapshot['omitted'] =>
  omitted.map(({ path, bytes, reason }) => ({ path, bytes, reason }));

/** Those that differ from the commit before it; ignored ones are not among them. */
async function countFiles({ git }: Pick<Context, 'git'>, gitDir: string, commit: string): Promise<number> {
  const query = ['diff-tree', '-r', '-z', '--name-only', '--no-commit-id', `${commit}^1`, commit, '--'];
  const result = await git.run(query, { gitDir, answers: [0, 128] });
  return result.stdout.toString('latin1').split('\0').filter(Boolean).length;
}
