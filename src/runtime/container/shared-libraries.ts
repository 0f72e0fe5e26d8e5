import { open } from 'node:fs/promises';
import { carrelError, errnoOf } from '../../domain/error.js';
import type { RunRequest, RunResult } from '../../exec/run.js';

export interface LibrariesOptions {
  readonly run: (request: RunRequest) => Promise<RunResult>;
  /** Where `ldd` is found. */
  readonly searchPath: string;
}

/** The shared libraries and the loader that programs of this machine need; scripts and static programs need none. */
export async function listSharedLibraries(
  { run, searchPath }: LibrariesOptions,
  files: readonly string[],
): Promise<string[]> {
  const programs: string[] = [];
  for (const file of files) if (await isProgram(file)) programs.push(file);
  if (programs.length === 0) return [];
  const env = { PATH: searchPath, LC_ALL: 'C' };
  const result = await run({ command: 'ldd', args: programs, cwd: '/', env }).catch(explain);
  // `name => /path (address)`, or `/path (address)` for the loader. Its exit status is 1 when one of them is static.
  const paths = [...result.stdout.toString('utf8').matchAll(/^\t(?:.* => )?(\/.*) \(0x[0-9a-f]+\)$/gm)];
  return [...new Set(paths.map(([, path]) => path as string))];
}

const ELF = Buffer.from('\x7fELF', 'latin1');

async function isProgram(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(ELF.length), 0, ELF.length, 0);
    return buffer.equals(ELF);
  } finally {
    await handle.close();
  }
}

function explain(error: unknown): never {
  if (errnoOf(error) !== 'ENOENT') throw error;
  const problem = 'ldd, which finds the libraries of programs, is not installed';
  throw carrelError('IMAGE_MISSING', { image: "made of this machine's programs", problem }, error);
}
