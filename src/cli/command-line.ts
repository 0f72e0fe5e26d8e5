import { carrelError } from '../domain/error.js';
import { nearest } from '../domain/nearest.js';
import type { CommandEntry } from './command-table.js';

/** What was called: a command with its arguments, or the help of the root or of a noun. */
export type Call =
  | { readonly kind: 'command'; readonly entry: CommandEntry; readonly args: readonly string[] }
  | { readonly kind: 'help'; readonly noun: string | undefined; readonly asked: boolean };

/**
 * Finds the command in the words. Options may stand before it, `carrel -R ../api --json ls`: they are handed on to
 * the command, which knows them.
 */
export function findCall(argv: readonly string[], table: readonly CommandEntry[]): Call {
  const start = countLeadingOptions(argv);
  const [leading, words] = [argv.slice(0, start), argv.slice(start)];
  const [first, second] = words;
  if (first === undefined) return { kind: 'help', noun: undefined, asked: leading.some(isHelp) };
  if (first === 'help') return findHelp(words.slice(1), table);
  const entry = findEntry(first, table);
  if (entry) return { kind: 'command', entry, args: [...leading, ...words.slice(1)] };
  const verbs = verbsOf(first, table);
  if (verbs.length === 0) throw unknownCommand(first, [...new Set(table.flatMap(visibleWords))]);
  if (second === undefined || isHelp(second))
    return { kind: 'help', noun: first, asked: second !== undefined };
  const verb = findEntry(`${first} ${second}`, table);
  if (!verb) throw unknownCommand(`${first} ${second}`, verbs);
  return { kind: 'command', entry: verb, args: [...leading, ...words.slice(2)] };
}

/** `carrel help`, `carrel help up`, `carrel help worktrees list` */
function findHelp(words: readonly string[], table: readonly CommandEntry[]): Call {
  if (words.length === 0) return { kind: 'help', noun: undefined, asked: true };
  return findCall([...words, '--help'], table);
}

const TAKES_VALUE = new Set(['-R', '--repository']);

function countLeadingOptions(argv: readonly string[]): number {
  let index = 0;
  while (argv[index]?.startsWith('-')) index += TAKES_VALUE.has(argv[index] as string) ? 2 : 1;
  return Math.min(index, argv.length);
}

const isHelp = (word: string) => word === '--help' || word === '-h';

const findEntry = (name: string, table: readonly CommandEntry[]) =>
  table.find(entry => entry.name === name || entry.aliases?.includes(name));

const verbsOf = (noun: string, table: readonly CommandEntry[]) =>
  table.map(entry => entry.name).filter(name => name.startsWith(`${noun} `));

function visibleWords(entry: CommandEntry): string[] {
  return entry.group === undefined
    ? []
    : [entry.name, ...(entry.aliases ?? []), ...entry.name.split(' ').slice(0, -1)];
}

const unknownCommand = (name: string, known: readonly string[]) =>
  carrelError('UNKNOWN_COMMAND', { name, known, nearest: nearest(name, known) });

/**
 * `exec NAME ls -l` as `exec NAME -- ls -l`: from the second word on everything belongs to the command that is to be
 * run, so none of its options may be taken for ours. `valueOptions` are our options that are followed by a value.
 */
export function separateCommandWords(args: readonly string[], valueOptions: ReadonlySet<string>): string[] {
  let operands = 0;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    if (word === '--') break;
    if (valueOptions.has(word)) index++;
    else if (!word.startsWith('-') && ++operands === 2)
      return [...args.slice(0, index), '--', ...args.slice(index)];
  }
  return [...args];
}

/** Whether --json was asked for, as far as that can be told before the options are understood. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes('--json');
}
