import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';

interface CreateOptions extends CommonOptions {
  readonly isolation?: 'worktree';
}

export function define(command: Command, session: Session): void {
  command
    .addOption(
      new Option(
        '--isolation <mode>',
        'worktree: use no sandbox, even if the configuration requires one',
      ).choices(['worktree']),
    )
    .addHelpText('after', '\nReads the input of Claude Code hooks. Set it up with: carrel install claude')
    .action(async (options: CreateOptions) => {
      session.interruption.follow('finish');
      const { parseCreateInput } = await import('../../../../integrations/claude/hook-input.js');
      const { createWorktree } = await import('../../../../integrations/claude/create-claude-worktree.js');
      const { cwd, name, base } = parseCreateInput(await text(process.stdin));
      const place = { ...options, repository: options.repository ?? cwd ?? '.' };
      const isWorktreeEnough = options.isolation === 'worktree';
      const { signal } = session.interruption;
      const path = await withApp(session, place, (app, repository) =>
        createWorktree(app, { repository, name, base, isWorktreeEnough, signal }),
      );
      answer(session, options, { path }, value => value.path);
    });
}
