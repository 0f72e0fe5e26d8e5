import type { Command } from 'commander';
import type { App } from '../../../../app.js';
import { isCarrelError } from '../../../../domain/error/error.js';
import type { LandResult } from '../../../../domain/report/result.js';
import { formatOmitted } from '../../../../domain/snapshot/omitted-files.js';
import type { LandInput } from '../../../../operations/workspace/land.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { chooseOne } from '../../command.js';
import { addFields, readFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';
import { warnOfAutorunFiles } from '../../views/workspace/autorun-warning.js';

interface LandOptions extends CommonOptions {
  readonly squash?: boolean;
  readonly rebase?: boolean;
  readonly merge?: boolean;
}

export function define(command: Command, session: Session): void {
  const fields = fieldsOf('land');
  addFields(command, fields)
    .option('--squash', 'land everything as one commit')
    .option('--rebase', 'land the commits one by one on top of the branch')
    .option('--merge', 'land with a merge commit')
    .action(async (name: string, options: LandOptions & Record<string, unknown>) => {
      session.interruption.follow('finish');
      const strategy = chooseOne(options, { squash: '--squash', rebase: '--rebase', merge: '--merge' });
      const { workspace, ...request } = readFields(fields, [name], options);
      const { signal } = session.interruption;
      let isFastForward = false;
      const onLanded: LandInput['onLanded'] = how => {
        isFastForward = how.isFastForward;
      };
      const result = await withApp(session, options, (app, repository) =>
        landNamed(app, { ...request, repository, name, strategy, signal, onLanded }),
      );
      for (const warning of result.warnings) session.output.narrate(`warning: ${warning}`);
      warnOfAutorunFiles(session, result.autorunFiles);
      session.output.narrate(formatLanding(result, isFastForward));
      answer(session, options, result, ({ after }) => after);
    });
}

/** `landed 2 commits of a on main (squash); the workspace was removed` */
export function formatLanding(
  { name, into, strategy, commits, removed, repositories }: LandResult,
  isFastForward = false,
): string {
  const count = `${commits} commit${commits === 1 ? '' : 's'}`;
  const left = removed && removed.omitted.length > 0 ? formatOmitted(removed.omitted) : undefined;
  return [
    `landed ${count} of ${name} on ${repositories ? formatTargets(repositories) : into} (${isFastForward ? 'fast-forward' : strategy})`,
    `the workspace was ${removed ? 'removed' : 'kept'}`,
    ...(left === undefined ? [] : [`not in its snapshot: ${left}`]),
  ].join('; ');
}

const TASK_PREFIX = 'task_';

/** A workspace with a name like that takes precedence. */
async function landNamed(app: App, input: LandInput): Promise<LandResult> {
  const { landWorkspace } = await import('../../../../operations/workspace/land.js');
  try {
    return await landWorkspace(app, input);
  } catch (error) {
    const isTask = isCarrelError(error, 'WORKSPACE_NOT_FOUND') && input.name.startsWith(TASK_PREFIX);
    if (!isTask) throw error;
  }
  const { landTask } = await import('../../../../task/delivery/land-task.js');
  const { name, repository, ...wishes } = input;
  return landTask(app, { id: name, ...wishes });
}

/** `main of app, main of web` */
const formatTargets = (repositories: NonNullable<LandResult['repositories']>): string =>
  repositories.map(({ alias, into }) => `${into} of ${alias}`).join(', ');
