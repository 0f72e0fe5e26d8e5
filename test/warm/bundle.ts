import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** Makes the program of the warm process in `directory`, beside the parts that the command line loads by name. */
export async function bundleWarmProgram(directory: string): Promise<string> {
  mkdirSync(directory);
  const bundle = await rolldown({
    input: { process: 'test/warm/process.ts' },
    platform: 'node',
    external: ['libsql'],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  await bundle.write({ dir: directory, format: 'esm', codeSplitting: false, sourcemap: true });
  await bundle.close();
  for (const path of ['package.json', 'node_modules', 'dist/server.js', 'dist/mcp.js', 'dist/dashboard'])
    symlinkSync(resolve(path), join(directory, basename(path)));
  return join(directory, 'process.js');
}
