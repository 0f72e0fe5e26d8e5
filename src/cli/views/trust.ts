import type { TrustReport } from '../../domain/result.js';
import { printable } from '../printable.js';

/** What the repository would run, whether it may, and what was ever approved. */
export function formatTrust(report: TrustReport): string {
  const { revoked, commands, trusted, grants } = report;
  return [
    ...(revoked > 0 ? [`revoked ${revoked} approval${revoked === 1 ? '' : 's'}`] : []),
    formatCommands(report),
    ...(commands.length > 0 ? [trusted ? 'approved as they read now' : 'not approved as they read now'] : []),
    ...grants.map(grant => `approved at ${grant.grantedAt}: ${grant.commands.map(printable).join(' ; ')}`),
  ].join('\n');
}

export function formatCommands({ repository, commands }: TrustReport): string {
  if (commands.length === 0) return `${printable(repository)} brings no commands`;
  return [
    `${printable(repository)} wants to run:`,
    ...commands.map(command => `  ${printable(command)}`),
  ].join('\n');
}
