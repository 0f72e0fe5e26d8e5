import type { Command } from 'commander';
import { defineListing } from '../../actions/define-listing.js';
import type { Session } from '../../cli-session.js';

export function define(command: Command, session: Session): void {
  defineListing(command, session, { mayAskServer: true });
}
