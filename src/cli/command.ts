import { Argument, Command } from 'commander';
import { carrelError } from '../domain/error.js';
import type { CommandEntry } from './command-table.js';
import type { Session } from './session.js';

/** What each file in commands/ exports: it adds arguments, options and the action to its command. */
export interface CommandModule {
  readonly define: (command: Command, session: Session) => void;
}

/** An argument that is a workspace; completion offers the names for it. */
export class WorkspaceArgument extends Argument {
  constructor(name: string, description = 'the workspace: its name, its id, or the beginning of its id') {
    super(name, description);
  }
}

/** An argument that is a task; completion offers the ids for it. */
export class TaskArgument extends Argument {
  constructor() {
    super('<id>', 'the task: its id, or the beginning of it');
  }
}

/** An argument that is a batch run; completion offers the ids for it. */
export class RunArgument extends Argument {
  constructor(
    name = '<run>',
    description = 'the run: its id, the beginning of its id, its directory, or latest',
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
      // The same words come with the CommanderError and are reported from there, in one place.
      writeErr: () => {},
    });
  define(command, session);
  return command
    .option('-R, --repository <path>', 'the repository to work on (default: the current directory)')
    .option('--json', 'answer with one JSON document');
}

/** Refuses options that exclude each other; gives the one that was chosen. */
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
