import { realpathSync } from 'node:fs';

/** An environment as it comes from the composition root (`process.env`). */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything but what would steer git: of the `GIT_*` only those of `ALLOWED` stay. */
export function scrubEnvironment(env: Environment): Record<string, string> {
  return keep(env, name => !name.startsWith('GIT_') || ALLOWED.has(name));
}

/** For the git that Carrel itself calls: it asks nobody, waits for nobody, and answers the same on every machine. */
export function gitEnvironment(env: Environment, untrusted: readonly string[] = []): Record<string, string> {
  const { PATH, ...others } = keep(scrubEnvironment(env), name => !UNWANTED_BY_GIT.has(name));
  return {
    ...others,
    ...(PATH === undefined ? {} : { PATH: trustedPath(PATH, untrusted) }),
    ...GIT_SETTINGS,
  };
}

/**
 * The entries of a PATH that programs of the host may be taken from: absolute ones, for git runs in directories that
 * agents write, and with `.` in PATH it and its helpers would be taken from there; and none below an `untrusted`
 * directory, such as the `node_modules/.bin` of a workspace that npm puts first.
 */
export function trustedPath(path: string, untrusted: readonly string[]): string {
  const avoided = untrusted.flatMap(directory => [directory, realPathOf(directory)]);
  const isBelowAny = (entry: string) => avoided.some(directory => `${entry}/`.startsWith(`${directory}/`));
  return path
    .split(':')
    .filter(entry => entry.startsWith('/') && ![entry, realPathOf(entry)].some(isBelowAny))
    .join(':');
}

/** One that is not there has no other name. */
function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/**
 * For the user's commands in a workspace: all that the user has, but nothing that names a repository. A Carrel that is
 * called from a git hook or alias carries such variables, and they would send every git of the command to the wrong one.
 */
export function commandEnvironment(
  env: Environment,
  additions: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { ...keep(env, name => !selectsRepository(name) && name !== SERVER_TOKEN), ...additions };
}

/** Whoever has it may do everything on the server that `carrel --server` asks; agents and their tests have no use for it. */
const SERVER_TOKEN = 'CARREL_TOKEN';

/** They say who the user is and how the network is reached, never what is read or written. */
const ALLOWED: ReadonlySet<string> = new Set([
  // How servers are reached and trusted. The last two restrict: without them git would be allowed more.
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  'GIT_ALLOW_PROTOCOL',
  'GIT_PROTOCOL_FROM_USER',
  // Who commits. Not the dates: in a hook they are those of the commit that called it.
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  // Which configuration files are read; users and tests choose theirs with them.
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  // Large files stay pointers in a workspace when they do in the user's own checkout.
  'GIT_LFS_SKIP_SMUDGE',
]);

const GIT_SETTINGS = {
  // No questions on the terminal.
  GIT_TERMINAL_PROMPT: '0',
  // Empty, not absent: only so are core.askPass and SSH_ASKPASS not asked either. Credential helpers still answer.
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  // Git Credential Manager would open a window.
  GCM_INTERACTIVE: 'never',
  // `status` must not write the user's index.
  GIT_OPTIONAL_LOCKS: '0',
  // A file named `:(top)*` or `*.ts` is that file.
  GIT_LITERAL_PATHSPECS: '1',
  GIT_PAGER: 'cat',
  // Messages and todo lists are taken as they are.
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  // Advice is for people; our errors carry hints of their own. git before 2.46 does not know it.
  GIT_ADVICE: '0',
  // One language in error reports. UTF-8, because filters that git starts read file names with it.
  LC_ALL: 'C.UTF-8',
} as const;

const UNWANTED_BY_GIT: ReadonlySet<string> = new Set([
  'SSH_ASKPASS',
  // Goes before LC_ALL for messages.
  'LANGUAGE',
]);

/** What `git rev-parse --local-env-vars` lists, and what else leads git elsewhere. */
const REPOSITORY_VARIABLES: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_COMMON_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE',
  'GIT_REF_STORAGE_FORMAT',
  'GIT_REFERENCE_BACKEND',
  'GIT_ATTR_SOURCE',
  // Where the search for a repository ends.
  'GIT_CEILING_DIRECTORIES',
  'GIT_DISCOVERY_ACROSS_FILESYSTEM',
  // Set while a push is being received: objects are on trial and refs can't be changed.
  'GIT_QUARANTINE_PATH',
  // Configuration of one call (`git -c`), which may hold core.worktree or core.hooksPath.
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_CONFIG_COUNT',
  // What the calling git was doing, for reflogs.
  'GIT_REFLOG_ACTION',
]);

function selectsRepository(name: string): boolean {
  return REPOSITORY_VARIABLES.has(name) || /^GIT_CONFIG_(KEY|VALUE)_\d+$/.test(name);
}

function keep(env: Environment, wanted: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
  );
  return Object.fromEntries(entries);
}
