import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../session.js';

/** Called on every press of Tab: whatever goes wrong, the answer is no names and no noise. */
export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const quiet = { ...session, output: { ...session.output, narrate: () => {} } };
    const names = await listQuietly(quiet, options).catch(() => []);
    if (options.json) session.output.json(names);
    else if (names.length > 0) session.output.answer(names.join('\n'));
  });
}

async function listQuietly(session: Session, options: CommonOptions): Promise<string[]> {
  const { listNames } = await import('../../operations/find.js');
  // A press of Tab settles nothing.
  return withApp(session, options, (app, repository) => listNames(app, { repository }), false);
}
