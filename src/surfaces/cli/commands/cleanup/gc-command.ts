import type { Command } from 'commander';
import { defineCleanup } from '../../actions/define-cleanup.js';
import type { Session } from '../../cli-session.js';

export function define(command: Command, session: Session): void {
  defineCleanup(command, session, { name: 'gc' });
}
