import type { Jj } from './jj.js';

/** The working-copy commit of a workspace, as jj recorded it last. */
export interface WorkingCopy {
  readonly commit: string;
  readonly changeId: string;
  readonly parents: readonly string[];
  readonly isDescribed: boolean;
  /** Paths of files whose conflicts are not settled, in the commit and in what it stands on. */
  readonly conflicts: readonly string[];
}

/** jj's root commit, which git does not have. */
const ROOT = /^0+$/;

const FIELDS = [
  'commit_id',
  'change_id',
  'parents.map(|parent| parent.commit_id()).join(" ")',
  'if(description, "described", "")',
  'self.conflicted_files().map(|file| file.path()).join("\\n")',
];

/** Undefined when jj knows no workspace of that name. Nothing is recorded by looking. */
export async function readWorkingCopy(jj: Jj, root: string, name: string): Promise<WorkingCopy | undefined> {
  const template = FIELDS.join(' ++ "\\0" ++ ');
  const query = ['log', '--no-graph', '--revisions', `present(${name}@)`, '--template', template];
  const text = await jj.text(query, { workspace: root });
  const [commit, changeId = '', parents = '', described = '', conflicts = ''] = text.split('\0');
  if (!commit) return undefined;
  return {
    commit,
    changeId,
    parents: parents.split(' ').filter(parent => parent !== '' && !ROOT.test(parent)),
    isDescribed: described !== '',
    conflicts: conflicts.split('\n').filter(Boolean),
  };
}

/**
 * The commit that the files of a workspace are judged against. Whoever describes a change takes it for a commit, whether
 * or not a new one is begun on top of it; and of a merge no single parent would do. Null on jj's root commit.
 */
export function headOf({ commit, parents, isDescribed }: WorkingCopy): string | null {
  return isDescribed || parents.length > 1 ? commit : (parents[0] ?? null);
}

/** Makes the files of a workspace of ours its working-copy commit, as every jj command there does. */
export async function recordFiles(jj: Jj, workspace: string): Promise<void> {
  await jj.run(['util', 'snapshot'], { workspace, touchesFiles: true });
}

/** Where the operation log stands: what `jj op restore` takes. */
export function readOperation(jj: Jj, root: string): Promise<string> {
  const query = ['operation', 'log', '--no-graph', '--limit', '1', '--template', 'id.short(16)'];
  return jj.text(query, { workspace: root });
}
