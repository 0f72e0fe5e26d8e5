import { stripVTControlCharacters } from 'node:util';

/** Of an agent's last words, the end: they are kept with the task and may stand in for an output. */
const MOST_MESSAGE_CHARACTERS = 32 * 1024;
const MOST_ACTIVITY_CHARACTERS = 200;

/** Without escape codes and empty ends; undefined when nothing is left. */
export function boundMessage(text: string | undefined): string | undefined {
  const shown = stripVTControlCharacters(text ?? '').trim();
  return shown === '' ? undefined : shown.slice(-MOST_MESSAGE_CHARACTERS);
}

/** The first line with something in it, for a live view. */
export function boundActivity(text: string): string | undefined {
  const line = text
    .slice(0, 10 * MOST_ACTIVITY_CHARACTERS)
    .split('\n')
    .find(each => each.trim() !== '');
  const shown = stripVTControlCharacters(line ?? '').trim();
  return shown === '' ? undefined : shown.slice(0, MOST_ACTIVITY_CHARACTERS);
}
