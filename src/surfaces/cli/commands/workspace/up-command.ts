import type { Command } from 'commander';
import type { IsolationMode } from '../../../../domain/isolation.js';
import type { UpInput } from '../../../../operations/workspace/up.js';
import { absolutePath, answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { chooseOne } from '../../command.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

interface UpOptions extends CommonOptions {
  readonly branch?: string;
  readonly base?: string;
  readonly isolation?: IsolationMode;
  readonly strict?: boolean;
  readonly template?: string;
  readonly setup: boolean;
  readonly trust?: boolean;
  readonly workspace?: string;
  readonly repo?: string;
  readonly gitWorktree?: string;
  readonly copy?: string;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('up'))
    .option('--workspace <directory>', 'use this directory itself as the workspace')
    .option('--repo <directory>', 'make the workspace from this repository, with its version control')
    .option('--git-worktree <directory>', 'make the workspace from this git repository')
    .option('--copy <directory>', 'make the workspace as a plain copy of this directory')
    .action(async (name: string | undefined, options: UpOptions) => {
      session.interruption.follow('finish');
      const form = chooseForm(options, session);
      const { up } = await import('../../../../operations/workspace/up.js');
      const { branch, base, isolation, strict, template, setup, trust } = options;
      const wishes = { name, form, branch, base, isolation, strict, template, setup, trust };
      const workspace = await withApp(session, options, (app, repository) =>
        up(app, { repository, ...wishes, signal: session.interruption.signal }),
      );
      answer(session, options, workspace, ({ path }) => path);
    });
}

const formFlags = {
  workspace: '--workspace',
  repo: '--repo',
  gitWorktree: '--git-worktree',
  copy: '--copy',
} as const;

const formKinds = { workspace: 'direct', repo: 'auto', gitWorktree: 'git', copy: 'copy' } as const;

function chooseForm(options: UpOptions, session: Session): UpInput['form'] {
  const chosen = chooseOne(options, formFlags);
  if (chosen === undefined) return undefined;
  return { kind: formKinds[chosen], directory: absolutePath(session, options[chosen] ?? '.') };
}
