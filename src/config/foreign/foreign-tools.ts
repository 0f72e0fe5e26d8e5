import { carrelError } from '../../domain/error/error.js';
import { nearest } from '../../domain/text/nearest-word.js';
import { readAnvil } from './read-anvil.js';
import { readApex } from './read-apex.js';

/** What the files of another tool become. */
export interface Translation {
  /** Text by its path in `.carrel`. */
  readonly files: Readonly<Record<string, string>>;
  /** Settings that have no counterpart, with their file and the reason. */
  readonly untranslated: readonly Untranslated[];
  /** What behaves differently although it was translated. */
  readonly warnings: readonly string[];
}

export interface Untranslated {
  readonly file: string;
  readonly key: string;
  readonly reason: string;
}

/** Reads the files below a directory, or a file; without a path, those in their usual place in the repository. */
type ReadForeign = (repositoryRoot: string, path: string | undefined) => Promise<Translation>;

const readers: Readonly<Record<string, ReadForeign>> = { apex: readApex, anvil: readAnvil };

/** Tools that are known and have no configuration file. */
const WITHOUT_FILES = ['forage', 'attocode', 'gemini-toolbox'];

/** INVALID_INPUT for an unknown tool or one without configuration files; CONFIG_UNREADABLE, CONFIG_SYNTAX. */
export async function translateForeign(
  tool: string,
  repositoryRoot: string,
  path: string | undefined,
): Promise<Translation> {
  const read = Object.hasOwn(readers, tool) ? readers[tool] : undefined;
  if (read) return read(repositoryRoot, path);
  const known = Object.keys(readers);
  const guess = nearest(tool, known);
  const found = WITHOUT_FILES.includes(tool)
    ? `${tool}, which has no configuration file; docs/coming-from/${tool}.md lists its commands`
    : `${JSON.stringify(tool)}${guess === undefined ? '' : `, did you mean ${guess}?`}`;
  throw carrelError('INVALID_INPUT', { what: '--from', found, expected: known.join(' or ') });
}
