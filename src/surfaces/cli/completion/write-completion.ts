import type { CommandDescription } from '../help/describe-commands.js';
import { writeBashCompletion } from './bash-completion.js';
import { writeFishCompletion } from './fish-completion.js';
import { writeZshCompletion } from './zsh-completion.js';

const writers = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishCompletion };

export function writeCompletion(
  shell: keyof typeof writers,
  commands: readonly CommandDescription[],
): string {
  return writers[shell](commands);
}
