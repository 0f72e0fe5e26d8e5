import type { Command } from 'commander';
import type { NetworkReport } from '../../../../domain/report/network-report.js';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

interface AllowOptions extends CommonOptions {
  readonly remove?: boolean;
}

export function define(command: Command, session: Session): void {
  addFields(command, fieldsOf('allow'))
    .addHelpText(
      'after',
      '\nThe list belongs to this workspace. A change applies to new connections of running commands at once, and for localhost to the next command.',
    )
    .action(async (name: string, hosts: readonly string[] | undefined, options: AllowOptions) => {
      const { changeAllowedHosts } = await import('../../../../operations/sandbox/allow-hosts.js');
      const report = await withApp(session, options, (app, repository) =>
        changeAllowedHosts(app, { repository, name, hosts, remove: options.remove }),
      );
      for (const warning of report.warnings) session.output.narrate(`warning: ${warning}`);
      for (const line of describeChange(report)) session.output.narrate(line);
      if (options.json || report.allow.length > 0)
        answer(session, options, report, ({ allow }) => allow.join('\n'));
    });
}

function describeChange({ name, allow, added, removed }: NetworkReport): string[] {
  return [
    ...(added.length > 0 ? [`${name} may now reach ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`${name} may no longer reach ${removed.join(', ')}`] : []),
    ...(allow.length === 0 ? [`${name} may reach no host`] : []),
  ];
}
