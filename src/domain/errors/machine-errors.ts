import { entry } from './entry.js';

export const machineErrors = {
  GIT_MISSING: entry<{ path: string }>({
    kind: 'environment',
    summary: 'git could not be started.',
    message: () => 'git was not found on PATH; expected git 2.38 or newer',
    hint: () => 'install git, then check with: carrel doctor',
  }),
  GIT_TOO_OLD: entry<{ found: string; expected: string }>({
    kind: 'environment',
    summary: 'The installed git lacks something that Carrel relies on.',
    message: d => `git ${d.found} is too old; expected ${d.expected} or newer`,
    hint: () => 'install a newer git, then check with: carrel doctor',
  }),
  GIT_FAILED: entry<{ command: string; exitCode: number | null; stderr: string }>({
    kind: 'environment',
    summary: 'A git command failed in a way that Carrel has no special name for.',
    message: d =>
      `${d.command} failed with exit status ${d.exitCode ?? 'none (killed)'}: ${d.stderr.trim() || 'no message'}`,
    hint: () => 'see what is wrong with: carrel doctor',
  }),
  JJ_MISSING: entry<{ path: string }>({
    kind: 'environment',
    summary: 'The repository is kept with jj, and jj could not be started.',
    message: () => 'jj was not found on PATH; this repository has a .jj directory',
    hint: () => 'install jj, or make a plain git worktree of a colocated repository with: --git-worktree .',
  }),
  JJ_FAILED: entry<{ command: string; exitCode: number | null; stderr: string }>({
    kind: 'environment',
    summary: 'A jj command failed in a way that Carrel has no special name for.',
    message: d =>
      `${d.command} failed with exit status ${d.exitCode ?? 'none (killed)'}: ${d.stderr.trim() || 'no message'}`,
    hint: () => 'see what is wrong with: carrel doctor',
  }),
  PROGRAM_MISSING: entry<{ program: string; problem: string; workspace: string }>({
    kind: 'environment',
    summary: 'A program that was to run in a workspace is not installed, or is no program.',
    message: d => `${d.program} can't be started in ${d.workspace}: ${d.problem}`,
    hint: d => `install ${d.program} or name another program`,
  }),
  ISOLATION_UNAVAILABLE: entry<{ requested: string; reason: string }>({
    kind: 'environment',
    summary: 'The isolation asked for can not be had on this machine and falling back was not allowed.',
    message: d => `isolation ${d.requested} is not available: ${d.reason}`,
    hint: () =>
      'choose --isolation worktree, or allow less: without --strict, and with isolation.onUnavailable: degrade',
  }),
  OVERLAY_MOUNT_FAILED: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary: 'The files of an overlay workspace could not be mounted.',
    message: d => `nothing can be mounted at ${d.path}: ${d.problem}`,
    hint: () => 'see what the machine can do with: carrel doctor',
  }),
  DISK_FULL: entry<{ path: string }>({
    kind: 'environment',
    summary: 'The file system ran out of space; what had been started was undone.',
    message: d => `no space is left on the file system of ${d.path}`,
    hint: () => 'free some space there, then repeat the command',
  }),
  STATE_NOT_WRITABLE: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary: "Carrel's state or cache directory can't be written.",
    message: d => `${d.path} can't be written (${d.problem}); Carrel keeps its files there`,
    hint: () => 'make it writable, or choose another with CARREL_STATE_DIR and CARREL_CACHE_DIR',
  }),
  TEMPORARY_NOT_WRITABLE: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary: "The directory for temporary files can't be written.",
    message: d => `nothing can be written to the temporary directory ${d.path} (${d.problem})`,
    hint: d => `make it with: mkdir -p ${d.path} — or choose another with TMPDIR`,
  }),
  STORE_CORRUPT: entry<{ file: string; problem: string }>({
    kind: 'environment',
    summary: 'The database is damaged. It is left exactly as it is.',
    message: d => `the database ${d.file} is damaged (${d.problem}); it was left as it is`,
    hint: d =>
      `move it aside with: mv ${d.file} ${d.file}.damaged — workspaces and snapshots stay in their repositories`,
  }),
  STORE_TOO_NEW: entry<{ file: string; found: number; known: number }>({
    kind: 'environment',
    summary: 'The database was written by a newer Carrel. It is left exactly as it is.',
    message: d =>
      `the database ${d.file} has version ${d.found}; this Carrel knows versions up to ${d.known}`,
    hint: () => 'install the newer Carrel again, or choose another state directory with CARREL_STATE_DIR',
  }),
  STORE_BUSY: entry<{ file: string; waitedMs: number }>({
    kind: 'environment',
    summary: 'Another process held the database for longer than Carrel waits.',
    message: d => `the database ${d.file} was busy for ${d.waitedMs} ms`,
    hint: () => 'try again; if it stays busy, look for a stuck carrel process with: ps -ef',
  }),
  LOCK_TIMEOUT: entry<{ repository: string; waitedMs: number; owner: string }>({
    kind: 'environment',
    summary: 'Another living Carrel process held the lock of the repository for too long.',
    message: d => `${d.owner} has held the lock of ${d.repository} for over ${d.waitedMs} ms`,
    hint: () => 'wait for that process or end it, then try again',
  }),
  INTERNAL: entry<{ problem: string }>({
    kind: 'internal',
    summary: 'A bug in Carrel.',
    message: d => `this is a bug in Carrel: ${d.problem}`,
    hint: () => 'run the command again with CARREL_DEBUG=1 and report what it prints',
  }),
} as const;
