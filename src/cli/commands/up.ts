import { type Command, Option } from 'commander';
import type { IsolationMode } from '../../domain/isolation.js';
import type { UpInput } from '../../operations/up.js';
import { chooseOne } from '../command.js';
import { absolutePath, answer, type CommonOptions, type Session, withApp } from '../session.js';

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
  command
    .argument('[name]', 'what to call it; a name is made up when left out')
    .option('--branch <branch>', 'the branch to make (default: the configured prefix and the name)')
    .option('--base <ref>', "the branch, tag or commit to start from (default: the repository's HEAD)")
    .addOption(
      new Option('--isolation <mode>', 'how far it is kept apart').choices(['full', 'worktree', 'shared']),
    )
    .option('--strict', 'refuse instead of falling back to less isolation')
    .option(
      '--template <name>',
      'a bundle of settings: claude, codex, gemini, shell, or one of the configuration',
    )
    .option('--no-setup', "leave out the repository's setup commands and the installation of dependencies")
    .option('--trust', "run the repository's setup commands without an approval on record")
    .option('--workspace <directory>', 'use this directory directly, as it is')
    .option('--repo <directory>', 'make the workspace from this repository, by the version control it has')
    .option('--git-worktree <directory>', 'make the workspace from this git repository')
    .option('--copy <directory>', 'make the workspace as a plain copy of this directory')
    .action(async (name: string | undefined, options: UpOptions) => {
      session.interruption.follow('finish');
      const form = chooseForm(options, session);
      const { up } = await import('../../operations/up.js');
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
