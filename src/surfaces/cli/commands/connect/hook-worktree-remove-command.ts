import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { formatRemoval } from '../../views/workspace/removal-report.js';

export function define(command: Command, session: Session): void {
  command
    .addHelpText('after', '\nReads the input of Claude Code hooks. Set it up with: carrel install claude')
    .action(async (options: CommonOptions) => {
      session.interruption.follow('finish');
      const { parseRemoveInput } = await import('../../../../integrations/claude/hook-input.js');
      const { removeWorktree } = await import('../../../../integrations/claude/remove-claude-worktree.js');
      const path = parseRemoveInput(await text(process.stdin));
      const { signal } = session.interruption;
      const removed = await withApp(session, options, app => removeWorktree(app, { path, signal }));
      session.output.narrate(removed ? formatRemoval(removed) : `${path} is already gone`);
      if (options.json) session.output.json(removed ?? null);
    });
}
