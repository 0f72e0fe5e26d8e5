import { entry } from './catalog-entry.js';

export const machineErrors = {
  GIT_MISSING: entry<{ path: string }>({
    kind: 'environment',
    summary: 'git could not be started.',
    message: () => 'git was not found on PATH; expected git 2.38 or newer',
    hint: () => 'install git, then check with: carrel doctor',
  }),
  GIT_TOO_OLD: entry<{ found: string; expected: string }>({
    kind: 'environment',
    summary: 'The installed git is too old for Carrel.',
    message: d => `git ${d.found} is too old; expected ${d.expected} or newer`,
    hint: () => 'install a newer git, then check with: carrel doctor',
  }),
  GIT_FAILED: entry<{ command: string; exitCode: number | null; stderr: string }>({
    kind: 'environment',
    summary: 'A git command failed, and no other error code describes the failure.',
    message: d =>
      `${d.command} failed with exit status ${d.exitCode ?? 'none (killed)'}: ${d.stderr.trim() || 'no message'}`,
    hint: () => 'check the machine with: carrel doctor',
  }),
  JJ_MISSING: entry<{ path: string }>({
    kind: 'environment',
    summary: 'The repository uses jj, and jj could not be started.',
    message: () => 'jj was not found on PATH; this repository has a .jj directory',
    hint: () => 'install jj, or create a plain git worktree of a colocated repository with: --git-worktree .',
  }),
  JJ_FAILED: entry<{ command: string; exitCode: number | null; stderr: string }>({
    kind: 'environment',
    summary: 'A jj command failed, and no other error code describes the failure.',
    message: d =>
      `${d.command} failed with exit status ${d.exitCode ?? 'none (killed)'}: ${d.stderr.trim() || 'no message'}`,
    hint: () => 'check the machine with: carrel doctor',
  }),
  PROGRAM_MISSING: entry<{ program: string; problem: string; workspace: string }>({
    kind: 'environment',
    summary: 'A program to run in a workspace is not installed, or is not executable.',
    message: d => `cannot start ${d.program} in ${d.workspace}: ${d.problem}`,
    hint: d => `install ${d.program}, or run another program`,
  }),
  ISOLATION_UNAVAILABLE: entry<{ requested: string; reason: string }>({
    kind: 'environment',
    summary:
      'The requested isolation mode is not available on this machine, and a weaker one is not allowed.',
    message: d => `isolation ${d.requested} is not available: ${d.reason}`,
    hint: () =>
      'see what works with: carrel doctor — or choose --isolation worktree, or allow a weaker mode: leave out --strict and set isolation.onUnavailable: degrade in your user configuration',
  }),
  OVERLAY_MOUNT_FAILED: entry<{ path: string; problem: string; exitCode?: number | null }>({
    kind: 'environment',
    summary: 'The files of an overlay workspace could not be mounted.',
    message: d => `cannot mount an overlay at ${d.path}: ${d.problem}`,
    hint: () => 'see what the machine supports with: carrel doctor',
  }),
  DISK_FULL: entry<{ path: string }>({
    kind: 'environment',
    summary: 'The file system ran out of space. Unfinished work was undone.',
    message: d => `no space left on the file system of ${d.path}`,
    hint: () => 'free some space there, then run the command again',
  }),
  TOO_MANY_OPEN_FILES: entry<{ path: string }>({
    kind: 'environment',
    summary: 'The limit of open files was reached, for this process or for the machine.',
    message: d => `too many open files; cannot open ${d.path}`,
    hint: () => 'raise the limit with: ulimit -n 4096 \u2014 then run the command again',
  }),
  STATE_NOT_WRITABLE: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary: 'Carrel cannot write to its state or cache directory.',
    message: d => `cannot write to ${d.path} (${d.problem}); Carrel keeps its files there`,
    hint: () => 'make it writable, or choose other directories with CARREL_STATE_DIR and CARREL_CACHE_DIR',
  }),
  TEMPORARY_NOT_WRITABLE: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary: 'Carrel cannot write to the directory for temporary files.',
    message: d => `cannot write to the temporary directory ${d.path} (${d.problem})`,
    hint: d => `create it with: mkdir -p ${d.path} — or choose another with TMPDIR`,
  }),
  STORE_CORRUPT: entry<{ file: string; problem: string; row?: string }>({
    kind: 'environment',
    summary: 'The database, or one of its rows, is damaged. Carrel does not change it.',
    message: d => `the database ${d.file} is damaged (${d.problem}); it was not changed`,
    hint: d =>
      d.row
        ? 'rebuild the record from the repository with: carrel doctor --repair'
        : `move it aside with: mv ${d.file} ${d.file}.damaged — then rebuild the records from the repositories with: carrel doctor --repair`,
  }),
  STORE_TOO_NEW: entry<{ file: string; found: number; known: number; copy?: string }>({
    kind: 'environment',
    summary: 'A newer version of Carrel wrote the database. Carrel does not change it.',
    message: d =>
      `the database ${d.file} has version ${d.found}; this version of Carrel supports versions up to ${d.known}`,
    hint: d =>
      d.copy
        ? `install the newer version of Carrel, or restore the copy from before the upgrade: ${d.copy}`
        : 'install the newer version of Carrel, or choose another state directory with CARREL_STATE_DIR',
  }),
  CLOCK_DISAGREES: entry<{ now: string; latest: string; differs: string }>({
    kind: 'environment',
    summary: 'The clock and the newest event disagree, so Carrel removes nothing because of its age.',
    message: d =>
      `the clock shows ${d.now}, but the newest event was recorded at ${d.latest}, ${d.differs}; nothing was removed`,
    hint: () => 'set the clock; if it is right, run the command again with --trust-clock',
  }),
  STORE_BUSY: entry<{ file: string; waitedMs: number }>({
    kind: 'environment',
    summary: 'Another process locked the database for longer than Carrel waits.',
    message: d => `the database ${d.file} was busy for ${d.waitedMs} ms`,
    hint: () => 'try again; if it stays busy, find the stuck carrel process with: ps -ef',
  }),
  STATE_IN_USE: entry<{ path: string; host: string; pid: number; silentSeconds: number; file: string }>({
    kind: 'conflict',
    summary: 'Carrel on another machine uses the state directory. Only one machine can use it at a time.',
    message: d =>
      `the state directory ${d.path} is in use on ${d.host} (process ${d.pid}, seen ${d.silentSeconds} s ago)`,
    hint: d =>
      `wait until Carrel has stopped on ${d.host}, or choose another directory with CARREL_STATE_DIR; if ${d.host} no longer exists, release the directory with: rm ${d.file}`,
  }),
  STATE_LOST: entry<{ path: string }>({
    kind: 'conflict',
    summary:
      'This process did not respond for so long that another machine took over the state directory. It records nothing more.',
    message: d =>
      `this process has lost the state directory ${d.path}: another machine took it over, or it was removed`,
    hint: () => 'see the current records with: carrel ls — then run the command again',
  }),
  OPERATION_LOST: entry<{ operation: string }>({
    kind: 'conflict',
    summary: 'This process was stopped for so long that another one cleaned up its unfinished operation.',
    message: d =>
      `another process took over the unfinished operation of this process (${d.operation}), because it did not respond for too long`,
    hint: () => 'see the result with: carrel ls — then run the command again',
  }),
  LOCK_TIMEOUT: entry<{ repository: string; waitedMs: number; owner: string }>({
    kind: 'environment',
    summary: 'Another running Carrel process held the lock of the repository for too long.',
    message: d => `${d.owner} has held the lock of ${d.repository} for over ${d.waitedMs} ms`,
    hint: () => 'wait for that process or kill it, then try again',
  }),
  INTERNAL: entry<{ problem: string }>({
    kind: 'internal',
    summary: 'A bug in Carrel.',
    message: d => `this is a bug in Carrel: ${d.problem}`,
    hint: () => 'run the command again with CARREL_DEBUG=1 and report the output',
  }),
} as const;
