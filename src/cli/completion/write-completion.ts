import type { CommandDescription } from '../describe-commands.js';
import { writeBashCompletion } from './bash.js';
import { writeFishCompletion } from './fish.js';
import { writeZshCompletion } from './zsh.js';

const writers = { bash: writeBashCompletion, zsh: writeZshCompletion, fish: writeFishCompletion };

export function writeCompletion(
  shell: keyof typeof writers,
  commands: readonly CommandDescription[],
): string {
  return writers[shell](commands);
}
