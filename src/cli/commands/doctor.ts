import type { Command } from 'commander';
import { exitCodes } from '../exit-code.js';
import { answer, type CommonOptions, type Session, withApp } from '../session.js';
import { formatDoctorList } from '../views/doctor-list.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const { diagnose } = await import('../../operations/doctor.js');
    const report = await withApp(session, options, (app, repository) => diagnose(app, { repository }));
    answer(session, options, report, value => formatDoctorList(value, session.output.answerColors));
    if (!report.healthy) session.exitWith(exitCodes.environment);
  });
}
