import type { CommandDescription } from '../describe-commands.js';

/** The first words that may follow `carrel`, with what to say about each: commands, their aliases, and nouns. */
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

/** Every option, of whatever command, that is followed by a value. No option is so for one command and not for another. */
export function valueOptions(commands: readonly CommandDescription[]): string[] {
  const options = commands.flatMap(command => command.options.filter(option => option.value !== undefined));
  return [...new Set(options.flatMap(option => option.names))];
}

/** All the names that a command answers to. */
export const namesOf = ({ name, aliases }: CommandDescription) => [name, ...aliases];
