import { type CommandGroup, commandGroups } from '../../operations/operation.js';
import type { CommandModule } from './command.js';
import { type CommandRow, commandRows } from './command-rows.js';
import type { DerivedCommand } from './derive-command.js';
import { derivedCommands } from './derived-commands.js';

/** One entry per command: enough for `carrel --help`. The command itself is loaded when it is called. */
export interface CommandEntry {
  /** One word, or a noun and a verb. commands/<noun>/<verb>.ts defines it. */
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Undefined for commands that only scripts call. */
  readonly group?: CommandGroup;
  /** Everything from its second word on belongs to the command to run. */
  readonly takesCommandWords?: true;
  readonly load: () => Promise<CommandModule>;
}

/** In the order of help and of the reference; commands without a file come last in their group. */
export const commandTable: readonly CommandEntry[] = [
  ...commandRows.map(completeRow),
  ...derivedCommands.filter(({ prints }) => prints !== undefined).map(deriveEntry),
].toSorted((one, other) => rankOf(one) - rankOf(other));

function completeRow(row: CommandRow): CommandEntry {
  if ('summary' in row) return row;
  const derived = derivedCommands.find(({ name }) => name === row.name);
  if (!derived) throw new Error(`no operation declares the command ${row.name}`);
  return { ...describeDerived(derived), ...row };
}

function deriveEntry(derived: DerivedCommand): CommandEntry {
  const load = async () => (await import('./derive-command.js')).deriveModule(derived);
  return { ...describeDerived(derived), load };
}

function describeDerived({ name, aliases, summary, group }: DerivedCommand): Omit<CommandEntry, 'load'> {
  return { name, ...(aliases && { aliases }), summary, group };
}

/** Commands that only scripts call come last. */
function rankOf({ group }: CommandEntry): number {
  return group === undefined ? commandGroups.length : commandGroups.indexOf(group);
}
