import type { TrustReport } from '../../../../domain/report/result.js';
import { printable } from '../../terminal/printable.js';

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

export function formatCommands({ repository, commands }: TrustReport): string {
  if (commands.length === 0) return `the configuration of ${printable(repository)} has no commands`;
  return [
    `${printable(repository)} wants to run:`,
    ...commands.map(command => `  ${printable(command)}`),
  ].join('\n');
}
