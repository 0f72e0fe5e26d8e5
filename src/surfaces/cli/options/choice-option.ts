import type { Command } from 'commander';
import { carrelError } from '../../../domain/error/error.js';
import { explainIsolation } from '../../../domain/isolation/isolation-words.js';
import { nearest } from '../../../domain/text/nearest-word.js';

/** Lets a command refuse a word that an option or argument does not take in our words: commander suggests none. */
export function refuseUnknownChoices(command: Command): void {
  const refuse = (what: string, choices: readonly string[]) => (word: string) => {
    if (choices.includes(word)) return word;
    throw carrelError('BAD_USAGE', {
      problem: `${what} is ${JSON.stringify(word)}; expected one of ${choices.join(', ')}`,
      command: command.name(),
      suggestion: what === '--isolation' ? explainIsolation(word, choices) : suggest(word, choices),
    });
  };
  for (const option of command.options)
    if (option.argChoices) option.argParser(refuse(option.long ?? option.flags, option.argChoices));
  for (const argument of command.registeredArguments)
    if (argument.argChoices)
      argument.argParser(refuse(`the argument ${argument.name()}`, argument.argChoices));
}

function suggest(word: string, choices: readonly string[]): string | undefined {
  const found = nearest(word, choices);
  return found && `did you mean ${found}?`;
}
