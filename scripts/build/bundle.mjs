import { resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** The names of functions and classes stay, for stack traces. */
export const minify = { mangle: { toplevel: true, keepNames: true } };
export const maps = { sourcemap: true, sourcemapExcludeSources: true };

/** Bundles TypeScript for Node; returns the files. */
export async function bundle(input, output, { write = true } = {}) {
  const made = await rolldown({
    platform: 'node',
    ...input,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, ...input.resolve },
  });
  const { output: files } = write ? await made.write(output) : await made.generate(output);
  await made.close();
  return files;
}

export const source = path => resolve('src', path);
