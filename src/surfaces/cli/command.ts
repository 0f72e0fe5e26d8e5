import { Argument, Command } from 'commander';
import { carrelError } from '../../domain/error/error.js';
import type { Session } from './cli-session.js';
import type { CommandEntry } from './command-table.js';
import { refuseUnknownChoices } from './options/choice-option.js';

/** The export of each file in commands/. Adds arguments, options and the action to its command. */
export interface CommandModule {
  readonly define: (command: Command, session: Session) => void;
}

/** A workspace argument. Completion offers the names of workspaces. */
export class WorkspaceArgument extends Argument {
  constructor(name: string, description = 'name or id of the workspace, or the beginning of its id') {
    super(name, description);
  }
}

/** A task argument. Completion offers the ids of tasks. */
export class TaskArgument extends Argument {
  constructor(name = '<id>') {
    super(name, 'id of the task, or the beginning of it');
  }
}

/** A batch run argument. Completion offers the ids of runs. */
export class RunArgument extends Argument {
  constructor(
    name = '<run>',
    description = 'id of the run, the beginning of it, the directory of the run, or latest',
  ) {
    super(name, description);
  }
}

/** The commander definition of one command, with the options that every command has. */
export async function buildCommand(entry: CommandEntry, session: Session): Promise<Command> {
  const { define } = await entry.load();
  const command = new Command(`carrel ${entry.name}`)
    .description(`${entry.summary}.`)
    .helpOption('-h, --help', 'show this help')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({
      writeOut: text => session.output.answer(text.trimEnd()),
      // The CommanderError has the same text and is reported in one place.
      writeErr: () => {},
    });
  define(command, session);
  refuseUnknownChoices(command);
  return command
    .option('-R, --repository <path>', 'the repository to work on (default: the current directory)')
    .option('--json', 'print the result as JSON');
}

/** Refuses options that exclude each other. Returns the chosen one. */
export function chooseOne<Key extends string>(
  options: { readonly [Name in NoInfer<Key>]?: unknown },
  flags: Readonly<Record<Key, string>>,
): Key | undefined {
  const given = (Object.keys(flags) as Key[]).filter(
    key => options[key] !== undefined && options[key] !== false,
  );
  if (given.length > 1) throw carrelError('CONFLICTING_OPTIONS', { options: given.map(key => flags[key]) });
  return given[0];
}
