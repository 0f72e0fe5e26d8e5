import type { Command } from 'commander';
import { TaskArgument } from '../../command.js';
import { answer, type CommonOptions, type Session, withApp } from '../../session.js';

interface PublishOptions extends CommonOptions {
  readonly remote?: string;
  readonly pullRequest?: boolean;
  readonly draft?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .addArgument(new TaskArgument())
    .option('--remote <name>', 'the remote to push to (default: origin)')
    .option('--pull-request', 'open a pull request as well, with gh')
    .option('--draft', 'open it as a draft; asks for --pull-request')
    .action(async (id: string, options: PublishOptions) => {
      session.interruption.follow('finish');
      const [{ publishTask }, { showTask }] = await Promise.all([
        import('../../../task/publish-task.js'),
        import('../../../task/show-task.js'),
      ]);
      const { remote, draft } = options;
      const pullRequest = options.pullRequest || draft;
      const { signal } = session.interruption;
      const task = await withApp(session, options, async app => {
        await publishTask(app, { id, remote, pullRequest, draft, signal });
        return showTask(app, { id });
      });
      const { published, branch } = task;
      session.output.narrate(`pushed ${branch} to ${published?.remote}`);
      answer(session, options, task, () => published?.pullRequest ?? branch ?? '');
    });
}
