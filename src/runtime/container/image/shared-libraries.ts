import { carrelError, errnoOf } from '../../../domain/error/error.js';
import type { RunProcess } from '../../../exec/run-process.js';
import { readFormat } from './program-format.js';

export interface LibrariesOptions {
  readonly run: RunProcess;
  /** Where `ldd` is found. */
  readonly searchPath: string;
}

/** The shared libraries and the loader that programs of this machine need; scripts and static programs need none. IMAGE_MISSING. */
export async function listSharedLibraries(
  { run, searchPath }: LibrariesOptions,
  files: readonly string[],
): Promise<string[]> {
  const programs: string[] = [];
  for (const file of files) {
    const format = await readFormat(file);
    if (format === 'mach-o') throw noImage('macOS programs do not run in a container; set an image');
    if (format === 'elf') programs.push(file);
  }
  if (programs.length === 0) return [];
  const env = { PATH: searchPath, LC_ALL: 'C' };
  const result = await run({ command: 'ldd', args: programs, cwd: '/', env }).catch(explain);
  // `name => /path (address)`, or `/path (address)` for the loader. Its exit status is 1 when one of them is static.
  const paths = [...result.stdout.toString('utf8').matchAll(/^\t(?:.* => )?(\/.*) \(0x[0-9a-f]+\)$/gm)];
  return [...new Set(paths.map(([, path]) => path as string))];
}

function explain(error: unknown): never {
  if (errnoOf(error) !== 'ENOENT') throw error;
  throw noImage('ldd, which finds the libraries of programs, is not installed', error);
}

const noImage = (problem: string, cause?: unknown): Error =>
  carrelError('IMAGE_MISSING', { image: "built from this machine's programs", problem }, cause);
