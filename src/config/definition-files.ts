import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { carrelError, errnoOf, isMissing } from '../domain/error.js';

/** A file of `.carrel/workflows` or `.carrel/agents`. */
export interface DefinitionFile {
  /** As the file is called, without its ending. */
  readonly name: string;
  readonly file: string;
  /** Another file of the same name with another ending; then neither can be meant. */
  readonly twin?: string | undefined;
}

/** The files of a folder with one of these endings, by name; none when there is no such folder. */
export async function listDefinitionFiles(
  directory: string,
  endings: readonly string[],
): Promise<DefinitionFile[]> {
  const files = (await listNames(directory))
    .filter(name => !name.startsWith('.') && endings.includes(extname(name)))
    .sort();
  return [...new Set(files.map(nameOf))].map(name => {
    const [first = '', second] = files.filter(file => nameOf(file) === name);
    return {
      name,
      file: join(directory, first),
      ...(second !== undefined && { twin: join(directory, second) }),
    };
  });
}

const nameOf = (file: string): string => file.slice(0, -extname(file).length);

/** CONFIG_TWICE when there are two files of one name. */
export function refuseTwin({ file, twin }: DefinitionFile): void {
  if (twin !== undefined) throw carrelError('CONFIG_TWICE', { first: file, second: twin });
}

async function listNames(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw carrelError('CONFIG_UNREADABLE', { file: directory, problem: errnoOf(error) ?? 'unknown' }, error);
  }
}
