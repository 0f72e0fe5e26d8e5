import type { Risk } from '../risk.js';
import { entry, formatList } from './entry.js';

export const workspaceErrors = {
  WORKSPACE_NOT_FOUND: entry<{ name: string; known: readonly string[]; nearest?: string | undefined }>({
    kind: 'not-found',
    summary: 'No workspace has that name, id or id prefix.',
    message: d => `there is no workspace ${JSON.stringify(d.name)}; known: ${formatList(d.known)}`,
    hint: d => (d.nearest ? `did you mean ${d.nearest}?` : 'list them with: carrel ls --all'),
  }),
  WORKSPACE_AMBIGUOUS: entry<{ name: string; matches: readonly string[] }>({
    kind: 'user',
    summary: 'A name or id prefix fits several workspaces.',
    message: d => `${JSON.stringify(d.name)} fits several workspaces: ${formatList(d.matches)}`,
    hint: () => 'use the whole id, or choose the repository with -R PATH',
  }),
  WORKSPACE_EXISTS: entry<{ name: string; path: string }>({
    kind: 'user',
    summary: 'The repository has a workspace of that name already.',
    message: d => `a workspace ${d.name} exists already at ${d.path}`,
    hint: d => `use it with: carrel path ${d.name} — or choose another name`,
  }),
  WORKSPACE_BUSY: entry<{ name: string; status: string }>({
    kind: 'conflict',
    summary: 'Another Carrel process is creating or removing the workspace right now.',
    message: d => `the workspace ${d.name} is ${d.status} by another process; expected it to be ready`,
    hint: d => `wait for it, then look with: carrel show ${d.name}`,
  }),
  WORKSPACE_MISSING: entry<{ name: string; path: string }>({
    kind: 'conflict',
    summary: "The workspace's directory is gone.",
    message: d => `the directory of ${d.name} is gone: ${d.path}`,
    hint: d =>
      `forget it with: carrel down ${d.name} — or bring a snapshot back with: carrel restore ${d.name}`,
  }),
  WORKSPACE_REPLACED: entry<{ name: string; path: string; found: string }>({
    kind: 'conflict',
    summary: 'Something else stands where the workspace was. Carrel does not touch what it did not make.',
    message: d => `${d.path} is no longer the workspace ${d.name} but ${d.found}; it was left alone`,
    hint: d => `move it away with: mv ${d.path} ELSEWHERE — then repeat`,
  }),
  WORKSPACE_MOVED: entry<{ name: string; path: string; to: string }>({
    kind: 'conflict',
    summary: 'Somebody moved the workspace with `git worktree move`. Carrel knows workspaces by their place.',
    message: d => `the workspace ${d.name} was moved to ${d.to}; expected it at ${d.path}`,
    hint: d => `move it back with: git -C ${d.to} worktree move ${d.to} ${d.path}`,
  }),
  PATH_EXISTS: entry<{ path: string }>({
    kind: 'conflict',
    summary: 'The directory for the workspace exists and is not a workspace that Carrel knows.',
    message: d => `${d.path} exists already and is not a workspace of this repository`,
    hint: () => 'choose another name, or move the directory away',
  }),
  UNSAFE_PATH: entry<{ path: string; root: string }>({
    kind: 'conflict',
    summary: 'A path leads out of the directory that Carrel may write to.',
    message: d => `${d.path} leads out of ${d.root}; refused`,
    hint: () => 'check for symbolic links on the way',
  }),
  REMOVAL_REFUSED: entry<{ name: string; risks: readonly Risk[] }>({
    kind: 'conflict',
    summary: 'Removing the workspace would lose work or disturb somebody. Nothing was changed.',
    message: d => `${d.name} was kept: ${d.risks.map(risk => risk.message).join('; ')}`,
    hint: d => {
      const flags = [...new Set(d.risks.flatMap(risk => (risk.flag ? [risk.flag] : [])))];
      const advice = d.risks.flatMap(risk => (risk.flag ? [] : [risk.advice]));
      const command = flags.length > 0 ? [`carrel down ${d.name} ${flags.join(' ')}`] : [];
      return [...advice, ...command].join(' — then: ') || `carrel show ${d.name}`;
    },
  }),
  NOT_SUPPORTED: entry<{ what: string; backend: string }>({
    kind: 'user',
    summary: 'The kind of workspace can not do that.',
    message: d => `a ${d.backend} workspace can't ${d.what}`,
    hint: () => 'make a git workspace with: carrel up NAME',
  }),
  LIMIT_REACHED: entry<{ limit: string; found: string; allowed: string; freeable: string }>({
    kind: 'conflict',
    summary: 'A configured limit on workspaces, bytes or free disk would be exceeded.',
    message: d => `${d.limit} would be ${d.found}; allowed is ${d.allowed}; gc could free ${d.freeable}`,
    hint: () => 'see what could go with: carrel gc --older-than 0s',
  }),
  SETUP_NOT_TRUSTED: entry<{ repository: string; commands: readonly string[] }>({
    kind: 'conflict',
    summary: 'The repository brings commands that the user has not approved as they read now.',
    message: d =>
      `${d.repository} wants to run commands that you have not approved: ${d.commands.join(' ; ')}`,
    hint: () => 'approve them with: carrel trust — or leave them out with --no-setup',
  }),
  SETUP_FAILED: entry<{ command: string; exitCode: number | null; output: string; timedOut: boolean }>({
    kind: 'failed',
    summary: 'A setup or install command failed; the workspace was not kept.',
    message: d =>
      `setup command failed (${d.timedOut ? 'time limit' : `exit status ${d.exitCode ?? 'none'}`}): ${d.command}${d.output ? `\n${d.output}` : ''}`,
    hint: () => 'mend the command, or leave setup out with --no-setup',
  }),
  FILE_UNREADABLE: entry<{ path: string; problem: string }>({
    kind: 'environment',
    summary:
      "A file of a workspace can't be read, so that a look at it or a snapshot of it would not be whole.",
    message: d =>
      `${d.path} can't be read (${d.problem}); without it the workspace's work would not be held whole`,
    hint: d => `make it readable with: chmod u+rwX ${JSON.stringify(d.path)} — then repeat`,
  }),
  SNAPSHOT_NOT_FOUND: entry<{ name: string; known: readonly string[] }>({
    kind: 'not-found',
    summary: 'No snapshot has that id, and no workspace of that name left one.',
    message: d => `there is no snapshot ${JSON.stringify(d.name)}; known: ${formatList(d.known)}`,
    hint: () => 'list them with: carrel snapshots',
  }),
  SNAPSHOT_BROKEN: entry<{ id: string; problem: string }>({
    kind: 'conflict',
    summary: 'A snapshot is not complete in its repository.',
    message: d => `the snapshot ${d.id} is not complete: ${d.problem}`,
    hint: () => 'check the repository with: git fsck',
  }),
  NO_PORTS_LEFT: entry<{ from: number; to: number }>({
    kind: 'environment',
    summary: 'Every block of ports in the configured range is taken.',
    message: d => `no block of ten free ports is left between ${d.from} and ${d.to}`,
    hint: () => 'remove workspaces with: carrel gc — or widen workspace.ports',
  }),
} as const;
