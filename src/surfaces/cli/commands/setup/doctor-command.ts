import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { exitCodes } from '../../exit/exit-code.js';
import { formatDoctorList } from '../../views/doctor-list.js';

interface DoctorOptions extends CommonOptions {
  readonly repair?: boolean;
  readonly deep?: boolean;
  readonly all?: boolean;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('doctor')).action(async (options: DoctorOptions) => {
    const { diagnose } = await import('../../../../operations/diagnosis/doctor.js');
    const { deep, all } = options;
    if (deep) session.interruption.follow('finish');
    const report = await withApp(session, options, async (app, repository) => {
      const input = { repository, deep, all, signal: session.interruption.signal };
      if (!options.repair) return diagnose(app, input);
      const { repairRecords } = await import('../../../../operations/recovery/repair.js');
      const repairs = await repairRecords(app, { repository });
      for (const line of repairs) session.output.narrate(line);
      if (repairs.length === 0) session.output.narrate('nothing to rebuild');
      return { ...(await diagnose(app, input)), repairs };
    });
    answer(session, options, report, value => formatDoctorList(value, session.output.answerColors));
    if (!report.healthy) session.exitWith(exitCodes.environment);
  });
}
