import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { RunExport } from '../../../../domain/batch/eval-report.js';
import { absolutePath, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

interface ExportOptions extends CommonOptions {
  readonly format: RunExport['format'];
  readonly out?: string;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('eval export'))
    .option('--out <file>', 'the file to write (default: standard output)')
    .action(async (name: string, options: ExportOptions) => {
      const { format, out } = options;
      const { text, warnings } = await writeText(session, name, options);
      for (const warning of warnings) session.output.narrate(`warning: ${warning}`);
      const file = out === undefined ? null : absolutePath(session, out);
      if (file !== null) await writeFile(file, text);
      const report: RunExport = { format, file, text: file === null ? text : null, warnings: [...warnings] };
      if (options.json) session.output.json(report);
      else if (file === null) session.output.bytes(Buffer.from(text));
    });
}

async function writeText(session: Session, name: string, options: ExportOptions) {
  const [{ findRun }, { readRun }, { exportRun }] = await Promise.all([
    import('../../../../batch/record/find-run.js'),
    import('../../../../batch/record/run-store.js'),
    import('../../../../batch/report/export-run.js'),
  ]);
  const run = await withApp(session, options, async app => readRun(await findRun(app, name)));
  const pieces: string[] = [];
  const warnings = await exportRun(run, options.format, piece => void pieces.push(piece));
  return { text: pieces.join(''), warnings };
}
