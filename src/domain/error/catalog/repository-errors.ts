import type { AutorunFile } from '../../workspace/autorun-file.js';
import { entry, formatList } from './catalog-entry.js';

export const repositoryErrors = {
  NOT_A_REPOSITORY: entry<{ path: string }>({
    kind: 'user',
    summary: 'The directory is not inside a git repository.',
    message: d => `${d.path} is not inside a git repository; expected one`,
    hint: () => 'change to a repository, choose one with -R PATH, or create one with: git init',
  }),
  NO_SUCH_DIRECTORY: entry<{ path: string }>({
    kind: 'not-found',
    summary: 'The given directory does not exist.',
    message: d => `${d.path} is not a directory; expected an existing directory`,
    hint: () => 'check the path',
  }),
  EMPTY_REPOSITORY: entry<{ path: string }>({
    kind: 'user',
    summary: 'The repository has no commit to start from.',
    message: d => `the repository ${d.path} has no commits; a workspace needs one to start from`,
    hint: () => 'create a first commit with: git commit --allow-empty -m "first"',
  }),
  UNBORN_BRANCH: entry<{ branch: string; repository: string }>({
    kind: 'user',
    summary: 'The checked-out branch has no commits yet, but other branches have.',
    message: d =>
      `the branch ${d.branch} of ${d.repository} has no commits; a workspace needs one to start from`,
    hint: () => 'commit something, or start from another branch with --base BRANCH',
  }),
  BARE_REPOSITORY: entry<{ path: string }>({
    kind: 'user',
    summary: 'The repository has no working tree.',
    message: d => `${d.path} is a bare repository; expected one with a working tree`,
    hint: d => `clone it first with: git clone ${d.path}`,
  }),
  INSIDE_WORKTREE: entry<{ path: string; repository: string }>({
    kind: 'user',
    summary: 'The command ran inside a linked worktree. Workspaces cannot be nested.',
    message: d =>
      `${d.path} is a linked worktree of ${d.repository}; workspaces can't be created from inside one`,
    hint: d => `choose the repository with: -R ${d.repository}`,
  }),
  UNSAFE_REPOSITORY: entry<{ path: string }>({
    kind: 'user',
    summary: 'git refuses the repository because another user owns it.',
    message: d => `git does not trust ${d.path} because another user owns it`,
    hint: d => `if you trust it: git config --global --add safe.directory ${d.path}`,
  }),
  UNSUPPORTED_REPOSITORY: entry<{ path: string; feature: string; remedy?: string }>({
    kind: 'user',
    summary: 'The repository is stored in a format that Carrel does not support.',
    message: d => `${d.path} uses ${d.feature}, which Carrel does not support`,
    hint: d => d.remedy ?? 'convert it with: git refs migrate --ref-format=files',
  }),
  UNKNOWN_BASE: entry<{ ref: string; repository: string }>({
    kind: 'user',
    summary: 'The base is not a commit of the repository.',
    message: d =>
      `${JSON.stringify(d.ref)} is not a commit of ${d.repository}; expected a branch, tag or commit`,
    hint: () => 'list the branches with: git branch --all',
  }),
  JJ_BEHIND: entry<{ commit: string; repository: string }>({
    kind: 'conflict',
    summary: 'A commit was created with git, and jj has not imported it yet.',
    message: d => `jj has not imported the commit ${d.commit.slice(0, 12)} of ${d.repository} yet`,
    hint: d => `import it with: jj -R ${d.repository} status`,
  }),
  INVALID_BRANCH: entry<{ branch: string }>({
    kind: 'user',
    summary: 'git does not accept the branch name.',
    message: d => `${JSON.stringify(d.branch)} is not a branch name that git accepts`,
    hint: () => 'choose another with --branch; see: git help check-ref-format',
  }),
  BRANCH_EXISTS: entry<{ branch: string }>({
    kind: 'user',
    summary: 'A branch with that name already exists.',
    message: d => `the branch ${d.branch} already exists; expected a new name`,
    hint: d => `open it with --branch ${d.branch}, or choose another with --branch NAME`,
  }),
  BRANCH_IN_THE_WAY: entry<{ branch: string; obstacle: string }>({
    kind: 'user',
    summary: 'The branch name conflicts with an existing branch: git cannot have both `a` and `a/b`.',
    message: d => `the branch ${d.branch} conflicts with the branch ${d.obstacle}; git can't have both`,
    hint: () => 'choose another with --branch NAME, or another prefix with workspace.branchPrefix',
  }),
  BRANCH_CHECKED_OUT: entry<{ branch: string; path: string }>({
    kind: 'conflict',
    summary: 'The branch is checked out in another working tree.',
    message: d => `the branch ${d.branch} is checked out at ${d.path}`,
    hint: () => 'work there, or choose another with --branch NAME',
  }),
  UNKNOWN_BRANCH: entry<{ branch: string; repository: string; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'The branch to land on does not exist.',
    message: d => `there is no branch ${d.branch} in ${d.repository}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : `create it with: git branch ${d.branch}`),
  }),
  LAND_CONFLICT: entry<{ name: string; into: string; files: readonly string[] }>({
    kind: 'conflict',
    summary: 'Landing causes merge conflicts. Nothing was changed.',
    message: d => `landing ${d.name} on ${d.into} conflicts in ${formatList(d.files)}; nothing was landed`,
    hint: d => `merge ${d.into} inside the workspace, resolve the conflicts, commit, and land again`,
  }),
  LAND_CHECKOUT_DIRTY: entry<{ into: string; path: string; files: readonly string[] }>({
    kind: 'conflict',
    summary: 'The target branch is checked out with changes that landing would touch. Nothing was changed.',
    message: d =>
      `${d.into} is checked out at ${d.path} with changes in ${formatList(d.files)}; nothing was changed`,
    hint: d => `commit or stash them in ${d.path}, or land on another branch with --into`,
  }),
  LAND_UNCOMMITTED: entry<{ name: string; files: readonly string[]; isHiddenInside?: boolean }>({
    kind: 'conflict',
    summary: 'The workspace has uncommitted changes, which landing would leave behind.',
    message: d => `${d.name} has uncommitted changes in ${formatList(d.files)}; landing takes commits only`,
    hint: d =>
      d.isHiddenInside
        ? `git inside the sandbox leaves them out: add ignored files with: carrel exec ${d.name} -- git add --force FILE, and commit them there; move nested repositories elsewhere, or list them in .gitignore`
        : `commit them in the workspace, or let Carrel commit them with: carrel land ${d.name} -m "MESSAGE"`,
  }),
  LAND_AUTORUN_FILES: entry<{ name: string; into: string; files: readonly AutorunFile[] }>({
    kind: 'conflict',
    summary:
      'The workspace adds or changes files that tools run automatically, and `land.autorunFiles` is `refuse`.',
    message: d =>
      `${d.name} was not landed on ${d.into}: it adds or changes files that run automatically: ${formatList(d.files.map(file => file.path))}`,
    hint: d =>
      `review them with: carrel diff ${d.name} — then land them with: carrel land ${d.name} --allow-autorun-files`,
  }),
  LAND_NOTHING: entry<{ name: string; into: string }>({
    kind: 'conflict',
    summary: 'The workspace has no commit that the target branch lacks.',
    message: d => `${d.name} has no commits that ${d.into} lacks; nothing to land`,
    hint: d => `see its state with: carrel show ${d.name}`,
  }),
  REF_MOVED: entry<{ ref: string; expected: string; found: string }>({
    kind: 'conflict',
    summary: 'Another process moved the ref while Carrel was working. Nothing was changed.',
    message: d => `${d.ref} moved from ${d.expected} to ${d.found} in the meantime; nothing was changed`,
    hint: () => 'check the new state and try again',
  }),
} as const;
