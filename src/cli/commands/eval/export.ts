import { writeFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { ExportFormat } from '../../../batch/report/export-run.js';
import { absolutePath, type CommonOptions, type Session, withApp } from '../../session.js';

interface ExportOptions extends CommonOptions {
  readonly format: ExportFormat;
  readonly out?: string;
}

export function define(command: Command, session: Session): void {
  command
    .argument('<run>', 'the run: its id, the beginning of its id, its directory, or latest')
    .addOption(
      new Option('--format <format>', 'what to write')
        .choices(['jsonl', 'junit', 'html', 'predictions', 'csv'])
        .makeOptionMandatory(),
    )
    .option('--out <file>', 'where to (default: standard output)')
    .action(async (name: string, options: ExportOptions) => {
      const [{ findRun }, { readRun }, { exportRun }] = await Promise.all([
        import('../../../batch/find-run.js'),
        import('../../../batch/run-store.js'),
        import('../../../batch/report/export-run.js'),
      ]);
      const run = await withApp(session, options, async app => readRun(await findRun(app, name)));
      const pieces: string[] = [];
      const warnings = await exportRun(run, options.format, piece => void pieces.push(piece));
      for (const warning of warnings) session.output.narrate(`warning: ${warning}`);
      const text = pieces.join('');
      if (options.out !== undefined) await writeFile(absolutePath(session, options.out), text);
      else if (options.json) session.output.json({ format: options.format, text });
      else session.output.bytes(Buffer.from(text));
    });
}
