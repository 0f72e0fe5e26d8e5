import type { Command } from 'commander';
import { loadPart } from '../load-part.js';
import { absolutePath, type CommonOptions, type Session } from '../session.js';

export function define(command: Command, session: Session): void {
  command
    .addHelpText('after', '\nFor agents, not for people: carrel install NAME tells an agent to start it.')
    .action(async (options: CommonOptions) => {
      session.interruption.follow('finish');
      const { serveMcp } = await loadPart('mcp');
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
