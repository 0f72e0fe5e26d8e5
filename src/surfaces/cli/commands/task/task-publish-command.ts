import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

export function define(command: Command, session: Session): void {
  const fields = fieldsOf('task publish');
  addFields(command, fields).action(async (id: string, options: CommonOptions & Record<string, unknown>) => {
    session.interruption.follow('finish');
    const { publishTaskOperation } = await import('../../../../task/delivery/publish.operation.js');
    const request = { task: id, ...readFields(fields, [id], options) };
    const { signal } = session.interruption;
    const task = await withApp(session, options, (context, repository) =>
      publishTaskOperation.run({ context, repository, signal }, request),
    );
    const { published, branch } = task;
    session.output.narrate(`pushed ${branch} to ${published?.remote}`);
    answer(session, options, task, () => published?.pullRequest ?? branch ?? '');
  });
}
