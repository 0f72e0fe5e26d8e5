import type { Command } from 'commander';
import { type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('task diff')).action(async (id: string, options: CommonOptions) => {
    const [{ diffTask }, { findCurrentTask }] = await Promise.all([
      import('../../../../task/delivery/diff-task.js'),
      import('../../../../task/record/current-task.js'),
    ]);
    const chunks: Buffer[] = [];
    const write = options.json ? (chunk: Buffer) => void chunks.push(chunk) : session.output.bytes;
    await withApp(session, options, async app => diffTask(app, await findCurrentTask(app, id), write));
    if (!options.json) return;
    const { encodeDiff } = await import('../../../../domain/report/diff-report.js');
    session.output.json({ format: 'patch', ...encodeDiff(Buffer.concat(chunks)), skipped: [] });
  });
}
