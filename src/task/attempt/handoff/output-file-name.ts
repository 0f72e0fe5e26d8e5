import { extname } from 'node:path';
import { safeFileName } from './safe-file-name.js';

/** A word with an extension is already a file name: `plan.md`, `report.json`. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}\.[A-Za-z0-9]{1,12}$/;

/** The file that an agent writes for an output of that name, also used for its final message. */
export const outputFileName = (name: string): string => withEnding(name, '.md');

/** What the kept file of an output is called for the stage that reads it: the output's name with the file's extension. */
export function inputFileName(name: string, file: string): string {
  const ending = extname(file);
  return withEnding(name, /^\.[A-Za-z0-9]{1,12}$/.test(ending) ? ending : '');
}

const withEnding = (name: string, ending: string): string =>
  FILE_NAME.test(name) ? name : `${safeFileName(name)}${ending}`;
