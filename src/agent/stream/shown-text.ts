import { stripVTControlCharacters } from 'node:util';

/** The end of an agent's last message, which is stored with the task and may replace an output. */
const MOST_MESSAGE_CHARACTERS = 32 * 1024;
const MOST_ACTIVITY_CHARACTERS = 200;

/** Without escape codes and empty ends; undefined when nothing is left. */
export function boundMessage(text: string | undefined): string | undefined {
  const shown = stripVTControlCharacters(text ?? '').trim();
  return shown === '' ? undefined : shown.slice(-MOST_MESSAGE_CHARACTERS);
}

/** The first line that is not empty, for a live view. */
export function boundActivity(text: string): string | undefined {
  const line = text
    .slice(0, 10 * MOST_ACTIVITY_CHARACTERS)
    .split('\n')
    .find(each => each.trim() !== '');
  const shown = stripVTControlCharacters(line ?? '').trim();
  return shown === '' ? undefined : shown.slice(0, MOST_ACTIVITY_CHARACTERS);
}
