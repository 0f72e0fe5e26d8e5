import type { Argument, Command, Option } from 'commander';
import type { Session } from '../cli-session.js';
import { buildCommand, RunArgument, TaskArgument, WorkspaceArgument } from '../command.js';
import { type CommandEntry, commandTable } from '../command-table.js';
import { listenForInterruption } from '../exit/interruption.js';
import { createOutput } from '../terminal/output.js';

/** The arguments and options of a command, read from its commander definition, for completion scripts and the reference. */
export interface CommandDescription {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly usage: string;
  readonly takesCommandWords: boolean;
  readonly arguments: readonly ArgumentDescription[];
  readonly options: readonly OptionDescription[];
}

export interface ArgumentDescription {
  readonly name: string;
  readonly required: boolean;
  readonly variadic: boolean;
  readonly description: string;
  readonly value: ValueDescription;
}

export interface OptionDescription {
  readonly flags: string;
  /** Such as `-R` and `--repository`. */
  readonly names: readonly string[];
  readonly description: string;
  readonly defaultValue: string | undefined;
  /** Undefined for an option without a value. */
  readonly value: ValueDescription | undefined;
}

export type ValueDescription =
  | { readonly kind: 'text' | 'directory' | 'workspace' | 'task' | 'run' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] };

/** All commands that users call, in the order of the table. */
export async function describeCommands(): Promise<CommandDescription[]> {
  const entries = commandTable.filter(entry => entry.group !== undefined);
  return Promise.all(
    entries.map(async entry => describeCommand(entry, await buildCommand(entry, idleSession))),
  );
}

function describeCommand(entry: CommandEntry, command: Command): CommandDescription {
  const help = command.createHelp();
  return {
    name: entry.name,
    aliases: entry.aliases ?? [],
    summary: entry.summary,
    usage: help.commandUsage(command),
    takesCommandWords: entry.takesCommandWords === true,
    arguments: command.registeredArguments.map(describeArgument),
    options: help.visibleOptions(command).map(describeOption),
  };
}

function describeArgument(argument: Argument): ArgumentDescription {
  const { required, variadic, description, argChoices } = argument;
  return {
    name: argument.name(),
    required,
    variadic,
    description,
    value: argChoices ? choice(argChoices) : { kind: kindOf(argument) },
  };
}

function kindOf(argument: Argument): 'workspace' | 'task' | 'run' | 'text' {
  if (argument instanceof RunArgument) return 'run';
  if (argument instanceof TaskArgument) return 'task';
  return argument instanceof WorkspaceArgument ? 'workspace' : 'text';
}

function describeOption(option: Option): OptionDescription {
  const { flags, description, short, long, defaultValue } = option;
  return {
    flags,
    names: [short, long].filter(name => name !== undefined),
    description,
    defaultValue: typeof defaultValue === 'string' ? defaultValue : undefined,
    value: describeValue(option),
  };
}

function describeValue({ required, flags, argChoices }: Option): ValueDescription | undefined {
  if (!required) return undefined;
  if (argChoices) return choice(argChoices);
  return { kind: /<(path|directory)>/.test(flags) ? 'directory' : 'text' };
}

const choice = (choices: readonly string[]): ValueDescription => ({ kind: 'choice', choices });

/** A definition needs a session, but only a command that runs uses it. */
const nowhere = { write: () => true };
const idleSession: Session = {
  environment: {},
  currentDirectory: () => '/',
  output: createOutput(nowhere, nowhere, {}),
  interruption: listenForInterruption({ listen: () => {}, exit: () => {}, narrate: () => {} }),
  isInteractive: false,
  exitWith: () => {},
};
