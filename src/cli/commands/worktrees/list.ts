import type { Command } from 'commander';
import { defineListing } from '../../listing.js';
import type { Session } from '../../session.js';

export function define(command: Command, session: Session): void {
  defineListing(command, session, { mayAskServer: true });
}
