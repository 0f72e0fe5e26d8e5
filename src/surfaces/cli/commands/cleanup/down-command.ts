import type { Command } from 'commander';
import { defineRemoval } from '../../actions/define-removal.js';
import type { Session } from '../../cli-session.js';
import { addFields } from '../../derive-command.js';
import { fieldsOf } from '../../derived-fields.js';

export function define(command: Command, session: Session): void {
  defineRemoval(addFields(command, fieldsOf('down')), session);
}
