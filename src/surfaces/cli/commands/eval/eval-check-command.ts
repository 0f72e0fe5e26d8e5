import type { Command } from 'commander';
import type { CheckBatchRequest } from '../../../../batch/check.operation.js';
import type { CheckedItem } from '../../../../domain/batch/eval-report.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { DONE, exitCodes } from '../../exit/exit-code.js';
import { formatAttemptLine } from '../../views/eval/eval-attempt.js';
import { formatCheck } from '../../views/eval/eval-check-report.js';

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
