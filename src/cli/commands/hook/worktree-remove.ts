import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../session.js';
import { formatRemoval } from '../../views/removal.js';

export function define(command: Command, session: Session): void {
  command
    .addHelpText('after', '\nReads what Claude Code writes; carrel install claude tells it to call this.')
    .action(async (options: CommonOptions) => {
      session.interruption.follow('finish');
      const { parseRemoveInput } = await import('../../../integrations/claude/hook-input.js');
      const { removeWorktree } = await import('../../../integrations/claude/worktree-remove.js');
      const path = parseRemoveInput(await text(process.stdin));
      const { signal } = session.interruption;
      const removed = await withApp(session, options, app => removeWorktree(app, { path, signal }));
      session.output.narrate(removed ? formatRemoval(removed) : `${path} is gone already`);
      if (options.json) session.output.json(removed ?? null);
    });
}
