import type { Command } from 'commander';
import { defineRemoval } from '../../actions/define-removal.js';
import type { Session } from '../../cli-session.js';
import { WorkspaceArgument } from '../../command.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

export function define(command: Command, session: Session): void {
  const options = fieldsOf('down').filter(({ name }) => name !== 'workspace');
  addFields(command.addArgument(new WorkspaceArgument('<id>')), options);
  defineRemoval(command, session, { mayAskServer: true });
}
