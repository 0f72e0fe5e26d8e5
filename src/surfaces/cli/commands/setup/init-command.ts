import type { Command } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import { absolutePath, answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { printable } from '../../terminal/printable.js';

interface InitOptions extends CommonOptions {
  readonly from?: string;
}

export function define(command: Command, session: Session): void {
  command
    .argument(
      '[path]',
      'with --from: the file or directory of the other tool (default: where it is in the repository)',
    )
    .option('--from <tool>', 'translate the configuration of another tool: apex or anvil')
    .action((path: string | undefined, options: InitOptions) => init(path, options, session));
}

async function init(path: string | undefined, options: InitOptions, session: Session): Promise<void> {
  session.interruption.follow('finish');
  if (path !== undefined && options.from === undefined)
    throw carrelError('INVALID_INPUT', {
      what: 'the path',
      found: `${JSON.stringify(path)} without --from`,
      expected: '-R PATH for another repository, or --from TOOL',
    });
  const { initRepository } = await import('../../../../operations/setup/init.js');
  const from =
    options.from === undefined
      ? undefined
      : { tool: options.from, path: path && absolutePath(session, path) };
  const result = await withApp(session, options, (app, repository) =>
    initRepository(app, { repository, from }),
  );
  if (options.json || result.written.length > 0)
    answer(session, options, result, ({ written }) => written.map(printable).join('\n'));
  for (const file of result.kept) session.output.narrate(`kept the existing file: ${file}`);
  for (const { file, key, reason } of result.untranslated)
    session.output.narrate(`left out: ${key} of ${file}: ${reason}`);
  for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
}
