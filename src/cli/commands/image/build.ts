import { type Command, Option } from 'commander';
import type { ImageReport } from '../../../domain/image.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';
import { formatImage } from '../../views/image.js';

interface BuildOptions extends CommonOptions {
  readonly engine?: ImageReport['engine'];
  readonly machine?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addOption(
      new Option('--engine <name>', 'podman or docker (default: the first that works)').choices([
        'podman',
        'docker',
      ]),
    )
    .option('--machine', "of this machine's programs, although there is a .carrel/Dockerfile")
    .addHelpText(
      'after',
      '\nFrom .carrel/Dockerfile, when the repository has one: its commands are run by the engine as they stand.\nWithout one, of the git, shell and node of this machine; no registry is needed for that.',
    )
    .action((options: BuildOptions) => build(options, session));
}

async function build(options: BuildOptions, session: Session): Promise<void> {
  session.interruption.follow('finish');
  const { buildImage } = await import('../../../operations/image.js');
  const { engine, machine: fromMachine } = options;
  const report = await withApp(session, options, (app, repository) =>
    buildImage(app, {
      repository,
      engine,
      fromMachine,
      onOutput: chunk => session.output.narrate(String(chunk).trimEnd()),
    }),
  );
  answer(session, options, report, ({ image }) => image);
  session.output.narrate(formatImage(report));
}
