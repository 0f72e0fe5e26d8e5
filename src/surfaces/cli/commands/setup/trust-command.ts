import type { Command } from 'commander';
import type { App } from '../../../../app.js';
import { carrelError } from '../../../../domain/error/error.js';
import type { TrustReport } from '../../../../domain/report/result.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { chooseOne } from '../../command.js';
import { exitCodes } from '../../exit/exit-code.js';
import { askYesOrNo } from '../../terminal/ask-yes-or-no.js';
import { printable } from '../../terminal/printable.js';

interface TrustOptions extends CommonOptions {
  readonly list?: boolean;
  readonly revoke?: boolean;
  readonly yes?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .option('--list', 'only show the commands of the repository and the approvals')
    .option('--revoke', 'revoke every approval for this repository')
    .option('--yes', 'approve without asking')
    .action((options: TrustOptions) =>
      withApp(session, options, async (app, repository) => {
        const chosen = chooseOne(options, { list: '--list', revoke: '--revoke', yes: '--yes' });
        const report = await actOn(chosen, app, repository, session);
        if (report) return answer(session, options, report, formatTrust);
        session.output.narrate('nothing was approved');
        session.exitWith(exitCodes.conflict);
      }),
    );
}

/** The commands of the repository, whether they are approved, and all approvals. */
export function formatTrust(report: TrustReport): string {
  const { revoked, commands, trusted, grants } = report;
  return [
    ...(revoked > 0 ? [`revoked ${revoked} approval${revoked === 1 ? '' : 's'}`] : []),
    formatCommands(report),
    ...(commands.length > 0
      ? [trusted ? 'these commands are approved' : 'these commands are not approved']
      : []),
    ...grants.map(grant => `approved at ${grant.grantedAt}: ${grant.commands.map(printable).join(' ; ')}`),
  ].join('\n');
}

function formatCommands({ repository, commands }: TrustReport): string {
  if (commands.length === 0) return `the configuration of ${printable(repository)} has no commands`;
  return [
    `${printable(repository)} wants to run:`,
    ...commands.map(command => `  ${printable(command)}`),
  ].join('\n');
}

/** Undefined when the user declined. */
async function actOn(
  chosen: 'list' | 'revoke' | 'yes' | undefined,
  app: App,
  repository: string,
  session: Session,
): Promise<TrustReport | undefined> {
  const { grantTrust, reportTrust, revokeTrust } = await import('../../../../operations/trust/trust.js');
  if (chosen === 'revoke') return revokeTrust(app, { repository });
  const report = await reportTrust(app, { repository });
  const isSettled = report.trusted || report.commands.length === 0;
  if (chosen === 'list' || isSettled) return report;
  if (chosen === undefined && !(await approve(report, session))) return undefined;
  return grantTrust(app, { repository, commands: report.commands });
}

async function approve(report: TrustReport, session: Session): Promise<boolean> {
  if (!session.isInteractive) {
    throw carrelError('CONFIRMATION_NEEDED', {
      question: `approve ${report.commands.length} command${report.commands.length === 1 ? '' : 's'}`,
      flag: '--yes',
    });
  }
  session.output.narrateBlock(formatCommands(report));
  return askYesOrNo('Approve exactly these commands?');
}
