import { Argument, type Command, Option } from 'commander';
import type { CommandGroup, Operation, OptionForm } from '../../operations/operation.js';
import { answer, type CommonOptions, type Session, withApp } from './cli-session.js';
import { type CommandModule, RunArgument, TaskArgument, WorkspaceArgument } from './command.js';
import { amountFor, countFor, durationFor, wholeNumberFor } from './options/number-option.js';
import { listFor, rateFor } from './options/option-values.js';

/** A field of an operation's input in derived-commands.ts, so that building a command loads no schema. */
export interface DerivedField extends OptionForm {
  readonly name: string;
  /** Position among the arguments; undefined for an option. */
  readonly position?: number;
  readonly required?: true;
  readonly type: 'string' | 'boolean' | 'integer' | 'number' | 'choice' | 'array';
  readonly choices?: readonly string[];
  /** Of a number: at least 1, or above 0. */
  readonly isPositive?: true;
  readonly description: string;
}

export interface DerivedCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly group: CommandGroup;
  /** The field to print; undefined if a file in commands/ prints the answer. */
  readonly prints?: string;
  readonly fields: readonly DerivedField[];
  readonly load: () => Promise<Operation>;
}

/** The module of a derived command, like the export of a file in commands/. */
export const deriveModule = (derived: DerivedCommand): CommandModule => ({
  define: (command, session) => define(command, session, derived),
});

function define(command: Command, session: Session, { fields, prints, load }: DerivedCommand): void {
  addFields(command, fields).action(async (...given: unknown[]) => {
    const options = given.at(-2) as CommonOptions & Record<string, unknown>;
    session.interruption.follow('finish');
    const operation = await load();
    const { signal } = session.interruption;
    const value = (await withApp(session, options, (context, repository) =>
      operation.run({ context, repository, signal }, readFields(fields, given, options)),
    )) as Record<string, unknown>;
    answer(session, options, value, each => String(each[prints as string]));
  });
}

/** Adds the arguments and options of an operation to its command. */
export function addFields(command: Command, fields: readonly DerivedField[]): Command {
  for (const field of argumentsOf(fields)) command.addArgument(toArgument(field));
  for (const field of fields) if (field.position === undefined) command.addOption(toOption(field));
  return command;
}

/** The given values by field name. Omitted fields have no key. */
export function readFields(
  fields: readonly DerivedField[],
  operands: readonly unknown[],
  options: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const pairs = fields.map(({ name, flag, position }) => [
    name,
    position === undefined ? options[flag === undefined ? name : camel(flag)] : operands[position],
  ]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

const argumentsOf = (fields: readonly DerivedField[]): DerivedField[] =>
  fields
    .filter(({ position }) => position !== undefined)
    .sort((one, other) => (one.position ?? 0) - (other.position ?? 0));

function toArgument({ name, required, type, description }: DerivedField): Argument {
  const word = type === 'array' ? `${dashed(name)}...` : dashed(name);
  const shown = required ? `<${word}>` : `[${word}]`;
  if (name === 'workspace') return new WorkspaceArgument(shown, description);
  if (name === 'run') return new RunArgument(shown);
  if (name === 'runs') return new RunArgument(shown, description);
  return name === 'task' ? new TaskArgument(shown) : new Argument(shown, description);
}

function toOption(field: DerivedField): Option {
  const { name, type, choices, description, value = 'value', letter, negated } = field;
  const { flag = dashed(name) } = field;
  if (negated !== undefined) return new Option(`--no-${flag}`, negated);
  const flags = `${letter ? `-${letter}, ` : ''}--${flag}`;
  if (type === 'boolean') return new Option(flags, description);
  const option = new Option(`${flags} <${value}>`, description).makeOptionMandatory(field.required === true);
  if (choices) return option.choices(choices);
  const parse = parserOf(field, `--${flag}`);
  return parse ? option.argParser(parse) : option;
}

function parserOf(
  { type, value, isPositive }: DerivedField,
  option: string,
): ((text: string) => unknown) | undefined {
  if (value === 'duration') return (text: string) => durationFor(option)(text) / 1000;
  if (value === 'rate') return rateFor(option);
  if (type === 'array') return listFor(option);
  if (type === 'number') return amountFor(option);
  if (type !== 'integer') return undefined;
  return isPositive ? countFor(option) : wholeNumberFor(option);
}

const dashed = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
const camel = (flag: string): string =>
  flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
