import type { Command } from 'commander';
import { answer, type CommonOptions, type Session, withApp } from '../../cli-session.js';

export function define(command: Command, session: Session): void {
  command.action(async (options: CommonOptions) => {
    const { formatFingerprint, loadSubmitterKey } = await import(
      '../../../../fleet/travel/trust/submitter-key.js'
    );
    const { publicKey } = await withApp(session, options, app => loadSubmitterKey(app));
    const value = { key: publicKey, fingerprint: formatFingerprint(publicKey) };
    answer(session, options, value, ({ key }) => key);
  });
}
