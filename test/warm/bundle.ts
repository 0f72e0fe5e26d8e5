import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { bundle } from '../helpers/machine/bundle.js';

/** Makes the program of the warm process in `directory`, beside what the command line finds by name. */
export async function bundleWarmProgram(directory: string): Promise<string> {
  mkdirSync(directory);
  const output = { dir: directory, codeSplitting: false };
  await bundle({ process: 'test/warm/process.ts' }, output);
  for (const path of ['package.json', 'node_modules', 'dist/dashboard'])
    symlinkSync(resolve(path), join(directory, basename(path)));
  return join(directory, 'process.js');
}
