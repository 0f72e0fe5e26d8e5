import type { Command } from 'commander';
import { carrelError } from '../../../../domain/error/error.js';
import type { SlotKind } from '../../../../domain/workspace/slot.js';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { formatWarming } from '../../views/workspace/pool-change.js';

interface WarmOptions extends CommonOptions {
  readonly base?: string;
  readonly kind?: SlotKind;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('pool warm')).action((count: string | undefined, options: WarmOptions) =>
    warm(count, options, session),
  );
}

async function warm(count: string | undefined, options: WarmOptions, session: Session): Promise<void> {
  const wanted = count === undefined ? undefined : parseCount(count);
  session.interruption.follow('finish');
  const { warmPool } = await import('../../../../operations/pool/manage-pool.js');
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
