import { type Command, Option } from 'commander';
import { carrelError } from '../../../domain/error.js';
import type { SlotKind } from '../../../domain/slot.js';
import { type CommonOptions, type Session, withApp } from '../../session.js';
import { formatWarming } from '../../views/pool-change.js';

interface WarmOptions extends CommonOptions {
  readonly base?: string;
  readonly kind?: SlotKind;
}

export function define(command: Command, session: Session): void {
  command
    .argument('[count]', 'how many free ones there should be (default: pool.size of the configuration)')
    .option('--base <ref>', "the commit, branch or tag that they stand at (default: the repository's HEAD)")
    .addOption(
      new Option(
        '--kind <kind>',
        'checkout, which `carrel up` takes, or overlay (default: the fastest of this machine)',
      ).choices(['checkout', 'overlay']),
    )
    .action((count: string | undefined, options: WarmOptions) => warm(count, options, session));
}

async function warm(count: string | undefined, options: WarmOptions, session: Session): Promise<void> {
  const wanted = count === undefined ? undefined : parseCount(count);
  session.interruption.follow('finish');
  const { warmPool } = await import('../../../operations/pool.js');
  const { signal } = session.interruption;
  const result = await withApp(session, options, (app, repository) =>
    warmPool(app, { repository, count: wanted, base: options.base, kind: options.kind, signal }),
  );
  session.output.narrate(formatWarming(result));
  if (options.json) session.output.json(result);
}

function parseCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  const details = {
    what: 'the number of slots',
    found: JSON.stringify(text),
    expected: 'a whole number above 0',
  };
  throw carrelError('INVALID_INPUT', details);
}
