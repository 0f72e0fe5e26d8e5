import { formatSize } from '../../text/format-quantity.js';
import type { Risk } from '../../workspace/risk.js';
import { entry, formatList } from './catalog-entry.js';

export const workspaceErrors = {
  WORKSPACE_NOT_FOUND: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'No workspace has that name, id or id prefix.',
    message: d => `there is no workspace ${JSON.stringify(d.name)}; known: ${formatList(d.known)}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : 'list them with: carrel ls --all'),
  }),
  WORKSPACE_AMBIGUOUS: entry<{ name: string; matches: readonly string[] }>({
    kind: 'user',
    summary: 'A name or id prefix matches several workspaces.',
    message: d => `${JSON.stringify(d.name)} matches several workspaces: ${formatList(d.matches)}`,
    hint: () => 'use the full id, or choose the repository with -R PATH',
  }),
  WORKSPACE_EXISTS: entry<{ name: string; path: string }>({
    kind: 'user',
    summary: 'The repository already has a workspace with that name.',
    message: d => `the workspace ${d.name} already exists at ${d.path}`,
    hint: d => `use it with: carrel path ${d.name} — or choose another name`,
  }),
  WORKSPACE_BUSY: entry<{ name: string; status: string }>({
    kind: 'conflict',
    summary: 'Another Carrel process is creating, removing or capturing the workspace.',
    message: d => `the workspace ${d.name} is busy (${d.status}); expected it to be ready`,
    hint: d => `wait for it, then check with: carrel show ${d.name}`,
  }),
  WORKSPACE_MISSING: entry<{ name: string; path: string }>({
    kind: 'conflict',
    summary: "The workspace's directory is gone.",
    message: d => `the directory of ${d.name} is gone: ${d.path}`,
    hint: d =>
      `restore its files with: carrel restore ${d.name} — or remove its record with: carrel down ${d.name}`,
  }),
  WORKSPACE_REPLACED: entry<{ name: string; path: string; found: string }>({
    kind: 'conflict',
    summary:
      'The path of the workspace now holds something else. Carrel does not touch what it did not create.',
    message: d => `${d.path} is no longer the workspace ${d.name} but ${d.found}; it was not changed`,
    hint: d => `move it away with: mv ${d.path} ELSEWHERE — then run the command again`,
  }),
  WORKSPACE_MOVED: entry<{ name: string; path: string; to: string }>({
    kind: 'conflict',
    summary: 'The workspace was moved with `git worktree move`. Carrel finds workspaces by their path.',
    message: d => `the workspace ${d.name} was moved to ${d.to}; expected it at ${d.path}`,
    hint: d => `move it back with: git -C ${d.to} worktree move ${d.to} ${d.path}`,
  }),
  PATH_EXISTS: entry<{ path: string }>({
    kind: 'conflict',
    summary: 'The directory for the workspace exists and is not a workspace that Carrel knows.',
    message: d => `${d.path} already exists and is not a workspace of this repository`,
    hint: () => 'choose another name, or move the directory away',
  }),
  UNSAFE_PATH: entry<{ path: string; root: string }>({
    kind: 'conflict',
    summary: 'A path leads outside the directory that Carrel may write to.',
    message: d => `${d.path} leads outside ${d.root}; refused`,
    hint: () => 'check the path for symbolic links',
  }),
  REMOVAL_REFUSED: entry<{ name: string; risks: readonly Risk[] }>({
    kind: 'conflict',
    summary: 'Removing the workspace would lose work or disturb a running process. Nothing was changed.',
    message: d => `${d.name} was kept: ${d.risks.map(risk => risk.message).join('; ')}`,
    hint: d => acceptWith('down', d),
  }),
  RESET_REFUSED: entry<{ name: string; risks: readonly Risk[] }>({
    kind: 'conflict',
    summary: 'Resetting the workspace would lose work or disturb a running process. Nothing was changed.',
    message: d => `${d.name} was kept: ${d.risks.map(risk => risk.message).join('; ')}`,
    hint: d => acceptWith('reset', d),
  }),
  NOT_SUPPORTED: entry<{ what: string; backend: string; instead?: string }>({
    kind: 'user',
    summary: 'This kind of workspace does not support the operation.',
    message: d => `a ${d.backend} workspace can't ${d.what}`,
    hint: d => d.instead ?? 'create a git workspace with: carrel up NAME',
  }),
  LIMIT_REACHED: entry<{ limit: string; found: string; allowed: string; freeable: string }>({
    kind: 'conflict',
    summary: 'The operation would exceed a configured limit on workspaces, bytes or free disk space.',
    message: d => `${d.limit} would be ${d.found}; allowed: ${d.allowed}; gc could free ${d.freeable}`,
    hint: () => 'see what can be removed with: carrel gc --older-than 0s',
  }),
  SETUP_NOT_TRUSTED: entry<{ repository: string; commands: readonly string[] }>({
    kind: 'conflict',
    summary: 'The repository defines commands that the user has not approved in their current form.',
    message: d =>
      `${d.repository} wants to run commands that you have not approved: ${d.commands.join(' ; ')}`,
    hint: () => 'approve them with: carrel trust — or skip them with --no-setup',
  }),
  REPOSITORIES_NOT_TRUSTED: entry<{ repository: string; commands: readonly string[] }>({
    kind: 'conflict',
    summary: 'A template of the repository names other repositories that the user has not approved.',
    message: d =>
      `${d.repository} wants to use repositories that you have not approved: ${d.commands.join(' ; ')}`,
    hint: () => 'approve them with: carrel trust — or name the repositories yourself with --with-repository',
  }),
  GROUP_NOT_POSSIBLE: entry<{ alias: string; path: string; problem: string }>({
    kind: 'user',
    summary: 'A repository cannot be a part of a workspace with several repositories. Nothing was created.',
    message: d => `${d.alias} (${d.path}) cannot be a part of this workspace: ${d.problem}`,
    hint: () =>
      'every repository needs its own worktree and branch: use --isolation worktree, and no --workspace or --copy',
  }),
  BASE_NOT_LANDED: entry<{ base: string; commands: readonly string[] }>({
    kind: 'conflict',
    summary: 'The base is agent work that has not landed, and setup would run it on this machine.',
    message: d =>
      `${d.base} is agent work that has not landed, and setup would run it on this machine: ${d.commands.join(' ; ')}`,
    hint: () =>
      'run setup in a sandbox with --isolation full, skip it with --no-setup, or allow it once with --trust',
  }),
  SETUP_FAILED: entry<{ command: string; exitCode: number | null; output: string; timedOut: boolean }>({
    kind: 'failed',
    summary: 'A setup or install command failed. The workspace was removed.',
    message: d =>
      `setup command failed (${d.timedOut ? 'time limit' : `exit status ${d.exitCode ?? 'none'}`}): ${d.command}${d.output ? `\n${d.output}` : ''}`,
    hint: () => 'fix the command, or skip setup with --no-setup',
  }),
  FILE_UNREADABLE: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary: 'A file of a workspace cannot be read, so a status or snapshot of it would be incomplete.',
    message: d => `cannot read ${d.path} (${d.problem}); without it the work would be incomplete`,
    hint: d => `make it readable with: chmod u+rwX ${JSON.stringify(d.path)} — then run the command again`,
  }),
  LOOK_TOO_LARGE: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary: 'Carrel stopped scanning the files of a workspace because there are too many.',
    message: d => `${d.path} is too large to scan: ${d.problem}`,
    hint: () => 'find the largest directories with: carrel exec NAME -- du --inodes -d 2',
  }),
  SNAPSHOT_TOO_LARGE: entry<{ path: string; bytes: number; limit: number }>({
    kind: 'environment',
    summary: 'A file is too large for a snapshot, so the snapshot would be incomplete.',
    message: d =>
      `${d.path} is too large for a snapshot (${formatSize(d.bytes)}; at most ${formatSize(d.limit)})`,
    hint: () =>
      'delete the file or add it to .gitignore; `carrel down NAME --discard-changes` removes the workspace without it',
  }),
  SNAPSHOT_FILES_GONE: entry<{ path: string; files: number }>({
    kind: 'conflict',
    summary: 'The files were deleted or moved while Carrel took a snapshot of them.',
    message: d =>
      `the files in ${d.path} disappeared while the snapshot was taken: expected ${d.files}, found none; no snapshot was kept`,
    hint: () => 'find out what deletes them; list earlier snapshots with: carrel snapshots',
  }),
  SNAPSHOT_NOT_FOUND: entry<{ name: string; known: readonly string[] }>({
    kind: 'not-found',
    summary: 'No snapshot has that id, and no workspace with that name has one.',
    message: d => `there is no snapshot ${JSON.stringify(d.name)}; known: ${formatList(d.known)}`,
    hint: () => 'list them with: carrel snapshots',
  }),
  SNAPSHOT_BROKEN: entry<{ id: string; problem: string }>({
    kind: 'conflict',
    summary: 'Objects of a snapshot are missing from its repository.',
    message: d => `the snapshot ${d.id} is incomplete: ${d.problem}`,
    hint: () => 'check the repository with: git fsck',
  }),
  NO_PORTS_LEFT: entry<{ from: number; to: number }>({
    kind: 'environment',
    summary: 'Every block of ports in the configured range is in use.',
    message: d => `no block of ten free ports is left between ${d.from} and ${d.to}`,
    hint: () => 'remove workspaces with: carrel gc — or widen workspace.ports',
  }),
} as const;

/** The command that accepts all risks, after what has to be done first. */
function acceptWith(command: string, { name, risks }: { name: string; risks: readonly Risk[] }): string {
  const flags = [...new Set(risks.flatMap(risk => (risk.flag ? [risk.flag] : [])))];
  const advice = risks.flatMap(risk => (risk.flag ? [] : [risk.advice]));
  const unreachable = risks.find(risk => risk.kind === 'unreachable');
  if (unreachable)
    return `${unreachable.advice}; to give up its files: carrel ${command} ${name} ${flags.join(' ')}`;
  const accepting = flags.length > 0 ? [`carrel ${command} ${name} ${flags.join(' ')}`] : [];
  return [...advice, ...accepting].join(' — then: ') || `carrel show ${name}`;
}
