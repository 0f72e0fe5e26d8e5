import type { Command } from 'commander';
import type { CheckBatchRequest } from '../../../../batch/check.operation.js';
import type { CheckedItem } from '../../../../domain/batch/eval-report.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { DONE, exitCodes } from '../../exit/exit-code.js';
import { alignColumns } from '../../terminal/columns.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { formatAttemptLine } from '../../views/eval/eval-attempt.js';

const fields = fieldsOf('eval check');

export function define(command: Command, session: Session): void {
  addFields(command, fields).action(async (options: CommonOptions) => {
    session.interruption.follow('finish');
    const request = readFields(fields, [], { ...options }) as unknown as CheckBatchRequest;
    const checked = await check(session, options, request);
    answer(session, options, checked, list => formatCheck(list, session.output.answerColors));
    session.exitWith(session.interruption.exitCode() ?? exitCodeOf(checked));
  });
}

/** `carrel eval check` as text: the unsound tasks with the reason, and the number of sound ones. */
export function formatCheck(checked: readonly CheckedItem[], paint: Paint): string {
  const others = checked.filter(({ verdict }) => verdict !== 'sound');
  const sound = checked.length - others.length;
  const rows = others.map(({ id, verdict, reason }) => [
    printable(id),
    verdict,
    printable((reason ?? '').split('\n', 1)[0] ?? ''),
  ]);
  const verdict = `${sound} of ${checked.length} tasks are sound: the reference solution passes, doing nothing fails`;
  return [...alignColumns(rows), (others.length === 0 ? paint.green : paint.yellow)(verdict)].join('\n');
}

async function check(
  session: Session,
  options: CommonOptions,
  request: CheckBatchRequest,
): Promise<CheckedItem[]> {
  const [{ checkDataset }, { readCheck }] = await Promise.all([
    import('../../../../batch/check-dataset.js'),
    import('../../../../batch/plan/plan-request.js'),
  ]);
  const { narrateBlock, narrationColors } = session.output;
  return withApp(session, options, app =>
    checkDataset(app, {
      ...readCheck(request),
      stop: session.interruption.signal,
      observer: { onAttempt: attempt => narrateBlock(formatAttemptLine(attempt, narrationColors)) },
    }),
  );
}

/** A task that cannot run on this machine says nothing about the dataset. */
const exitCodeOf = (checked: readonly CheckedItem[]): number =>
  checked.every(({ verdict }) => ['sound', 'unsolved', 'unable'].includes(verdict)) ? DONE : exitCodes.failed;
