import type { DerivedField } from './derive-command.js';
import { derivedCommands } from './derived-commands.js';

/** The arguments and options from a command's operation, for a command that adds its own. */
export function fieldsOf(command: string): readonly DerivedField[] {
  const found = derivedCommands.find(({ name }) => name === command);
  if (!found) throw new Error(`no operation declares the command ${command}`);
  return found.fields;
}
