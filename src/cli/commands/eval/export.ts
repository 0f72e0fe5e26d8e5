import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { RunExport } from '../../../domain/eval-report.js';
import { RunArgument } from '../../command.js';
import { absolutePath, type CommonOptions, type Session, withApp } from '../../session.js';

interface ExportOptions extends CommonOptions {
  readonly format: RunExport['format'];
  readonly out?: string;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new RunArgument())
    .addOption(
      new Option('--format <format>', 'what to write')
        .choices(['jsonl', 'junit', 'html', 'predictions', 'csv'])
        .makeOptionMandatory(),
    )
    .option('--out <file>', 'where to (default: standard output)')
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
    import('../../../batch/find-run.js'),
    import('../../../batch/run-store.js'),
    import('../../../batch/report/export-run.js'),
  ]);
  const run = await withApp(session, options, async app => readRun(await findRun(app, name)));
  const pieces: string[] = [];
  const warnings = await exportRun(run, options.format, piece => void pieces.push(piece));
  return { text: pieces.join(''), warnings };
}
