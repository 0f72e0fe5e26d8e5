import type { Command } from 'commander';
import type { DiffReport } from '../../../../domain/report/diff-report.js';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { chooseOne } from '../../command.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { warnOfAutorunFiles } from '../../views/workspace/autorun-warning.js';

interface DiffOptions extends CommonOptions {
  readonly stat?: boolean;
  readonly nameOnly?: boolean;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('diff'))
    .option('--stat', 'print the number of changed lines per file instead of the patch')
    .option('--name-only', 'print the names of changed files instead of the patch')
    .action(async (name: string, options: DiffOptions) => {
      const format = chooseFormat(options);
      const { diffWorkspace } = await import('../../../../operations/workspace/diff.js');
      const chunks: Buffer[] = [];
      const write = options.json ? (chunk: Buffer) => void chunks.push(chunk) : session.output.bytes;
      const { skipped, autorunFiles } = await withApp(session, options, (app, repository) =>
        diffWorkspace(app, { repository, name, format }, write),
      );
      if (options.json) {
        const { encodeDiff } = await import('../../../../domain/report/diff-report.js');
        const report = { format, ...encodeDiff(Buffer.concat(chunks)), skipped, autorunFiles };
        return session.output.json(report);
      }
      for (const path of skipped) session.output.narrate(`warning: left out of the diff: ${path}`);
      warnOfAutorunFiles(session, autorunFiles);
    });
}

function chooseFormat(options: DiffOptions): DiffReport['format'] {
  const chosen = chooseOne(options, { stat: '--stat', nameOnly: '--name-only' });
  return chosen === undefined ? 'patch' : ({ stat: 'stat', nameOnly: 'name-only' } as const)[chosen];
}
