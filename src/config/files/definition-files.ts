import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { carrelError, errnoOf, isMissing } from '../../domain/error/error.js';

/** A file of `.carrel/workflows` or `.carrel/agents`. */
export interface DefinitionFile {
  /** The file name without its extension. */
  readonly name: string;
  readonly file: string;
  /** Another file with the same name and another extension, which makes the name ambiguous. */
  readonly twin?: string | undefined;
}

/** The files of a folder with one of these extensions, by name; none when the folder does not exist. */
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

/** CONFIG_TWICE when two files have the same name. */
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
