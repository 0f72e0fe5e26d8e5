import { type Command, Option } from 'commander';
import type { ImageReport } from '../../../../domain/report/image-report.js';
import { formatSize } from '../../../../domain/text/format-quantity.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';

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
    .option('--machine', "build from this machine's programs even if there is a .carrel/Dockerfile")
    .addHelpText(
      'after',
      '\nBuilds from .carrel/Dockerfile if the repository has one; the engine runs its commands as they are.\nOtherwise builds from the git, shell and node of this machine, without a registry.',
    )
    .action((options: BuildOptions) => build(options, session));
}

async function build(options: BuildOptions, session: Session): Promise<void> {
  session.interruption.follow('finish');
  const { buildImage } = await import('../../../../operations/setup/build-image.js');
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

/** What `carrel image build` did, in one sentence; the name itself is the answer. */
function formatImage({ engine, from, isNew, bytes }: ImageReport): string {
  const origin = from === 'machine' ? "from this machine's programs" : 'from .carrel/Dockerfile';
  const done = isNew ? 'built' : 'already built';
  return `${done} ${origin}, ${formatSize(bytes)}, for ${engine}`;
}
