import { carrelError } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import type { CommandEntry } from './command-table.js';

/** The parsed call: a command with its arguments, or the help of the program or of a noun. */
export type Call =
  | { readonly kind: 'command'; readonly entry: CommandEntry; readonly args: readonly string[] }
  | { readonly kind: 'help'; readonly noun: string | undefined; readonly asked: boolean };

/**
 * Finds the command among the words. Options before it, as in `carrel -R ../api --json ls`, are passed on to the
 * command, which parses them.
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
  if (!verb) throw unknownVerb(first, second, verbs);
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
  carrelError('UNKNOWN_COMMAND', { name, known, nearest: suggest(name, known) });

function unknownVerb(noun: string, verb: string, known: readonly string[]) {
  const name = `${noun} ${verb}`;
  const prefix = `${noun} `;
  const found = suggest(
    verb,
    known.map(each => each.slice(prefix.length)),
  );
  return carrelError('UNKNOWN_COMMAND', { name, known, nearest: found && prefix + found });
}

/** Words of other tools, with our commands for them: the first that is known fits. */
const COMMON_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['add', ['up']],
  ['create', ['up']],
  ['new', ['up']],
  ['delete', ['down', 'remove', 'rm']],
  ['destroy', ['down', 'remove', 'rm']],
  ['remove', ['down', 'rm']],
  ['rm', ['down', 'remove']],
  ['list', ['ls']],
  ['ls', ['list']],
  ['merge', ['land']],
  ['clean', ['gc', 'cleanup']],
  ['prune', ['gc', 'cleanup']],
  ['logs', ['task logs']],
  ['stop', ['cancel']],
  ['kill', ['cancel']],
]);

/** The command that was probably meant. A typo in the first letter is rare, and without it `merge` is near `serve`. */
function suggest(word: string, known: readonly string[]): string | undefined {
  const common = COMMON_WORDS.get(word)?.find(each => known.includes(each));
  return (
    common ??
    nearest(
      word,
      known.filter(each => each[0] === word[0]),
    )
  );
}

/**
 * `exec NAME ls -l` as `exec NAME -- ls -l`: everything from the second word on belongs to the command to run, so
 * none of its options may be parsed as ours. `valueOptions` are our options that take a value.
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

/** Whether --json was given. Works on the raw words, before the options are parsed. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes('--json');
}
