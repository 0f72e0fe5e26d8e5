import type { CommandDescription } from '../help/describe-commands.js';

/** The words that may follow `carrel`, each with a description: commands, their aliases, and nouns. */
export function firstWords(commands: readonly CommandDescription[]): Map<string, string> {
  const words = new Map<string, string>();
  for (const { name, aliases, summary } of commands) {
    const [noun = name, verb] = name.split(' ');
    if (verb === undefined) for (const word of [name, ...aliases]) words.set(word, summary);
    else
      words.set(
        noun,
        `${verbsOf(noun, commands)
          .map(command => verbOf(command.name))
          .join(', ')}`,
      );
  }
  return words;
}

/** Words that are followed by a verb. */
export function nouns(commands: readonly CommandDescription[]): string[] {
  return [
    ...new Set(
      commands.filter(({ name }) => name.includes(' ')).map(({ name }) => name.split(' ')[0] as string),
    ),
  ];
}

export function verbsOf(noun: string, commands: readonly CommandDescription[]): CommandDescription[] {
  return commands.filter(({ name }) => name.startsWith(`${noun} `));
}

export const verbOf = (name: string) => name.split(' ').at(-1) as string;

/** The options of all commands that take a value. An option takes a value in all commands or in none. */
export function valueOptions(commands: readonly CommandDescription[]): string[] {
  const options = commands.flatMap(command => command.options.filter(option => option.value !== undefined));
  return [...new Set(options.flatMap(option => option.names))];
}

/** The name of a command and its aliases. */
export const namesOf = ({ name, aliases }: CommandDescription) => [name, ...aliases];
