import type { Command } from 'commander';
import { absolutePath, type CommonOptions, type Session } from '../../cli-session.js';

export function define(command: Command, session: Session): void {
  command
    .addHelpText('after', '\nAgents start this command. Set it up with: carrel install NAME')
    .action(async (options: CommonOptions) => {
      session.interruption.follow('finish');
      const { serveMcp } = await import('../../../mcp/serve-mcp.js');
      await serveMcp({
        environment: session.environment,
        cwd: session.currentDirectory(),
        repository: absolutePath(session, options.repository ?? '.'),
        stdin: process.stdin,
        stdout: process.stdout,
        narrate: session.output.narrate,
        ownCommand: session.ownCommand,
        signal: session.interruption.signal,
      });
    });
}
