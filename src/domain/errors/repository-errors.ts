import { entry, formatList } from './entry.js';

export const repositoryErrors = {
  NOT_A_REPOSITORY: entry<{ path: string }>({
    kind: 'user',
    summary: 'The directory is not inside a git repository.',
    message: d => `${d.path} is not inside a git repository; expected one`,
    hint: () => 'go to a repository, choose one with -R PATH, or make one with: git init',
  }),
  NO_SUCH_DIRECTORY: entry<{ path: string }>({
    kind: 'not-found',
    summary: 'A directory that was named does not exist.',
    message: d => `${d.path} is not a directory; expected an existing directory`,
    hint: () => 'check the path',
  }),
  EMPTY_REPOSITORY: entry<{ path: string }>({
    kind: 'user',
    summary: 'The repository has no commit to start from.',
    message: d => `the repository ${d.path} has no commits; a workspace needs one to start from`,
    hint: () => 'make a first commit with: git commit --allow-empty -m "first"',
  }),
  UNBORN_BRANCH: entry<{ branch: string; repository: string }>({
    kind: 'user',
    summary: 'The branch that is checked out has no commit yet, while others have.',
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
    summary: 'The command was called from inside a linked worktree; workspaces are not nested.',
    message: d =>
      `${d.path} is a linked worktree of ${d.repository}; workspaces can't be made from within one`,
    hint: d => `call it for the repository with: -R ${d.repository}`,
  }),
  UNSAFE_REPOSITORY: entry<{ path: string }>({
    kind: 'user',
    summary: 'git refuses the repository because another user owns it.',
    message: d => `git does not trust ${d.path} because another user owns it`,
    hint: d => `if you trust it: git config --global --add safe.directory ${d.path}`,
  }),
  UNSUPPORTED_REPOSITORY: entry<{ path: string; feature: string; remedy?: string }>({
    kind: 'user',
    summary: 'The repository is stored in a way that Carrel does not know how to work with safely.',
    message: d => `${d.path} uses ${d.feature}, which Carrel does not work with`,
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
    summary: 'A commit was made with git, and jj has not taken note of it yet.',
    message: d => `jj does not know the commit ${d.commit.slice(0, 12)} of ${d.repository} yet`,
    hint: d => `let jj import what git has with: jj -R ${d.repository} status`,
  }),
  INVALID_BRANCH: entry<{ branch: string }>({
    kind: 'user',
    summary: 'git does not accept the branch name.',
    message: d => `${JSON.stringify(d.branch)} is not a branch name that git accepts`,
    hint: () => 'choose another with --branch; see: git help check-ref-format',
  }),
  BRANCH_EXISTS: entry<{ branch: string }>({
    kind: 'user',
    summary: 'A branch of that name exists already.',
    message: d => `the branch ${d.branch} exists already; expected a new one`,
    hint: () => 'choose another with --branch NAME',
  }),
  BRANCH_IN_THE_WAY: entry<{ branch: string; obstacle: string }>({
    kind: 'user',
    summary:
      'git can not have a branch of that name beside one that exists: `a` and `a/b` exclude each other.',
    message: d => `the branch ${d.obstacle} stands in the way of ${d.branch}; git can't have both`,
    hint: () => 'choose another with --branch NAME, or another prefix with workspace.branchPrefix',
  }),
  BRANCH_CHECKED_OUT: entry<{ branch: string; path: string }>({
    kind: 'conflict',
    summary: 'The branch is checked out in another working tree.',
    message: d => `the branch ${d.branch} is checked out at ${d.path}`,
    hint: () => 'choose another with --branch NAME',
  }),
  UNKNOWN_BRANCH: entry<{ branch: string; repository: string; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'The branch to land on does not exist.',
    message: d => `there is no branch ${d.branch} in ${d.repository}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : `make it with: git branch ${d.branch}`),
  }),
  LAND_CONFLICT: entry<{ name: string; into: string; files: readonly string[] }>({
    kind: 'conflict',
    summary: 'Landing would need a merge decision; nothing was changed.',
    message: d => `landing ${d.name} on ${d.into} conflicts in ${formatList(d.files)}; nothing was landed`,
    hint: d => `merge ${d.into} inside the workspace, settle the conflicts, commit, and land again`,
  }),
  LAND_CHECKOUT_DIRTY: entry<{ into: string; path: string; files: readonly string[] }>({
    kind: 'conflict',
    summary: 'The target branch is checked out with changes that landing would disturb; nothing was changed.',
    message: d =>
      `${d.into} is checked out at ${d.path} with changes in ${formatList(d.files)}; nothing was changed`,
    hint: d => `commit or stash them in ${d.path}, or land on another branch with --into`,
  }),
  LAND_UNCOMMITTED: entry<{ name: string; files: readonly string[]; isHiddenInside?: boolean }>({
    kind: 'conflict',
    summary: 'The workspace has changes that are not committed, so landing would leave them behind.',
    message: d => `${d.name} has uncommitted changes in ${formatList(d.files)}; landing takes commits only`,
    hint: d =>
      d.isHiddenInside
        ? `the git inside ignores them; commit them there, after: carrel exec ${d.name} -- git add --force FILE`
        : `commit them in the workspace, or let Carrel do it with: carrel land ${d.name} -m "MESSAGE"`,
  }),
  LAND_NOTHING: entry<{ name: string; into: string }>({
    kind: 'conflict',
    summary: 'The workspace has no commit that the target branch lacks.',
    message: d => `${d.name} has no commits that ${d.into} lacks; nothing to land`,
    hint: d => `see its state with: carrel show ${d.name}`,
  }),
  REF_MOVED: entry<{ ref: string; expected: string; found: string }>({
    kind: 'conflict',
    summary: 'A ref was moved by somebody else between looking and acting; nothing was changed.',
    message: d => `${d.ref} moved from ${d.expected} to ${d.found} meanwhile; nothing was changed`,
    hint: () => 'look at the new state and try again',
  }),
} as const;
