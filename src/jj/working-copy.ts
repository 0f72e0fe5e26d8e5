import type { Jj } from './jj.js';

/** The working-copy commit of a workspace, as jj recorded it last. */
export interface WorkingCopy {
  readonly commit: string;
  readonly changeId: string;
  readonly parents: readonly string[];
  readonly isDescribed: boolean;
  /** Paths of files with unresolved conflicts, in the commit and in its parents. */
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

/** Undefined when jj knows no workspace of that name. Reading records nothing. */
export async function readWorkingCopy(jj: Jj, root: string, name: string): Promise<WorkingCopy | undefined> {
  const template = FIELDS.join(' ++ "\\0" ++ ');
  const query = [
    'log',
    '--no-graph',
    '--revisions',
    `present(${JSON.stringify(name)}@)`,
    '--template',
    template,
  ];
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
 * The commit that the files of a workspace are compared with. A described change counts as a commit, whether or not a new
 * one was started on top of it; and no single parent of a merge would be right. Null on jj's root commit.
 */
export function headOf({ commit, parents, isDescribed }: WorkingCopy): string | null {
  return isDescribed || parents.length > 1 ? commit : (parents[0] ?? null);
}

/** Records the files of one of Carrel's workspaces as its working-copy commit, as every jj command there does. */
export async function recordFiles(jj: Jj, workspace: string): Promise<void> {
  await jj.run(['util', 'snapshot'], { workspace, touchesFiles: true });
}

/** The current operation, for `jj op restore`. */
export function readOperation(jj: Jj, root: string): Promise<string> {
  const query = ['operation', 'log', '--no-graph', '--limit', '1', '--template', 'id.short(16)'];
  return jj.text(query, { workspace: root });
}
