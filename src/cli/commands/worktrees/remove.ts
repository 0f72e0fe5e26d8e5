import type { Command } from 'commander';
import { WorkspaceArgument } from '../../command.js';
import { defineRemoval } from '../../removal.js';
import type { Session } from '../../session.js';

export function define(command: Command, session: Session): void {
  defineRemoval(command.addArgument(new WorkspaceArgument('<id>')), session, { mayAskServer: true });
}
