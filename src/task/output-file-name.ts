import { extname } from 'node:path';
import { safeFileName } from './safe-file-name.js';

/** A word with an ending is a file name already: `plan.md`, `report.json`. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}\.[A-Za-z0-9]{1,12}$/;

/** The file that an agent is asked to write for an output of that name, and that its last words go to. */
export const outputFileName = (name: string): string => withEnding(name, '.md');

/** What the kept file of an output is called for the stage that reads it: after the output, with the file's ending. */
export function inputFileName(name: string, file: string): string {
  const ending = extname(file);
  return withEnding(name, /^\.[A-Za-z0-9]{1,12}$/.test(ending) ? ending : '');
}

const withEnding = (name: string, ending: string): string =>
  FILE_NAME.test(name) ? name : `${safeFileName(name)}${ending}`;
