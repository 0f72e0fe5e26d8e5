import { realpathSync } from 'node:fs';
import { type CommandPlace, withoutCallersPlace } from './caller-variables.js';

/** An environment as it comes from the composition root (`process.env`). */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Everything except variables that control git: of `GIT_*` only those in `ALLOWED` stay. */
export function scrubEnvironment(env: Variables): Record<string, string> {
  return keep(env, name => !name.startsWith('GIT_') || ALLOWED.has(name));
}

/** For the git that Carrel itself calls: no prompts, no waiting, and the same output on every machine. */
export function gitEnvironment(env: Variables, untrusted: readonly string[] = []): Record<string, string> {
  const { PATH, ...others } = keep(scrubEnvironment(env), name => !UNWANTED_BY_GIT.has(name));
  return {
    ...others,
    ...(PATH === undefined ? {} : { PATH: trustedPath(PATH, untrusted) }),
    ...GIT_SETTINGS,
  };
}

/**
 * The PATH entries from which programs may run on the host. Only absolute ones: git runs in directories that agents
 * write, and with `.` in PATH git and its helpers would be found there. None below an `untrusted` directory, such as
 * the `node_modules/.bin` of a workspace, which npm puts first.
 */
export function trustedPath(path: string, untrusted: readonly string[]): string {
  const avoided = untrusted.flatMap(directory => [directory, realPathOf(directory)]);
  const isBelowAny = (entry: string) => avoided.some(directory => `${entry}/`.startsWith(`${directory}/`));
  return path
    .split(':')
    .filter(entry => entry.startsWith('/') && ![entry, realPathOf(entry)].some(isBelowAny))
    .join(':');
}

/** A missing directory has no other name. */
function realPathOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return directory;
  }
}

/**
 * For everything that runs in a workspace or for one: commands, setup, checks, agents, graders, tools. All variables of
 * the user except those about the caller's directory (see caller-variables.ts) or a repository: a Carrel that is called
 * from a git hook or alias has such variables, and they would lead every git of the command to the wrong repository.
 */
export function commandEnvironment(
  env: Variables,
  place: CommandPlace,
  additions: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept = keep(env, name => !selectsRepository(name) && !OWN_ACCESS.has(name));
  return { ...withoutCallersPlace(kept, place), ...additions };
}

/**
 * Access to the server that `carrel --server` uses, and to the database and the files of a fleet. Agents and their tests
 * don't need it.
 */
const OWN_ACCESS: ReadonlySet<string> = new Set(['CARREL_TOKEN', 'CARREL_FLEET', 'CARREL_HUB_TOKEN']);

/** They identify the user and configure the network; they never choose what is read or written. */
const ALLOWED: ReadonlySet<string> = new Set([
  // Connections and certificates. The last two restrict protocols: without them git would allow more.
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_SSH_VARIANT',
  'GIT_ALLOW_PROTOCOL',
  'GIT_PROTOCOL_FROM_USER',
  // The author and committer. Not the dates: in a hook they are those of the calling commit.
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  // Which configuration files are read; users and tests choose their own.
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  // If large files stay pointers in the user's checkout, they do in a workspace too.
  'GIT_LFS_SKIP_SMUDGE',
]);

const GIT_SETTINGS = {
  // No questions on the terminal.
  GIT_TERMINAL_PROMPT: '0',
  // Empty, not unset: otherwise core.askPass and SSH_ASKPASS would be used. Credential helpers still work.
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  // Git Credential Manager would open a window.
  GCM_INTERACTIVE: 'never',
  // `status` must not write the user's index.
  GIT_OPTIONAL_LOCKS: '0',
  // A file named `:(top)*` or `*.ts` means that file, not a pattern.
  GIT_LITERAL_PATHSPECS: '1',
  GIT_PAGER: 'cat',
  // Messages and todo lists are used without an editor.
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  // Advice is for interactive use; our errors have their own hints. git before 2.46 does not know it.
  GIT_ADVICE: '0',
  // One language in error reports. UTF-8, because filters that git starts read file names with it.
  LC_ALL: 'C.UTF-8',
} as const;

const UNWANTED_BY_GIT: ReadonlySet<string> = new Set([
  'SSH_ASKPASS',
  // Takes precedence over LC_ALL for messages.
  'LANGUAGE',
]);

/** What `git rev-parse --local-env-vars` lists, and other variables that select a repository. */
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
  // Set while a push is received: objects are in quarantine and refs can't be changed.
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

function keep(env: Variables, wanted: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
  );
  return Object.fromEntries(entries);
}
