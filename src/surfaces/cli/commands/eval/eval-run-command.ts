import type { Command } from 'commander';
import type { StartBatchRequest } from '../../../../batch/run/start.operation.js';
import {
  addFleetOptions,
  type BatchCommandOptions,
  findRepositoryRoot,
  runAndWatchBatch,
} from '../../actions/run-and-watch-batch.js';
import { absolutePath, type Session, withApp } from '../../cli-session.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

const fields = fieldsOf('eval run');

export function define(command: Command, session: Session): void {
  addFleetOptions(addFields(command, fields)).action(async (options: BatchCommandOptions) => {
    session.interruption.follow('drain');
    const [{ planRequest }, { createRun }] = await Promise.all([
      import('../../../../batch/plan/plan-request.js'),
      import('../../../../batch/record/run-store.js'),
    ]);
    const { out, ...given } = readFields(fields, [], { ...options }) as unknown as StartBatchRequest;
    // Workers refuse weaker isolation without --allow.
    const request = options.on === undefined ? given : { isolation: 'full' as const, ...given };
    await withApp(session, options, async (app, repository) => {
      const repositoryRoot = await findRepositoryRoot(app, repository);
      const { drain: signal } = session.interruption;
      const place = { repositoryRoot, runsElsewhere: options.on !== undefined, signal };
      const { plan, items, agent } = await planRequest(app, request, place);
      const directory = out === undefined ? undefined : absolutePath(session, out);
      const run = await createRun(app, plan, directory);
      await runAndWatchBatch(session, app, { run, items, agent }, options);
    });
  });
}
