import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { errnoOf } from '../../domain/error/error.js';
import { importModule } from '../../exec/import-module.js';
import type { BackendFactory } from '../backend-registry.js';

/**
 * The default export of a module. `check` is called before anything of it runs, when it is there. Throws an error that says
 * what is wrong with it.
 */
export async function loadBackendModule(
  file: string,
  check: () => Promise<void> = async () => {},
): Promise<BackendFactory> {
  const content = await readFile(file).catch(error => {
    throw new Error(`cannot read the module (${errnoOf(error) ?? error})`, { cause: error });
  });
  await check();
  const hash = createHash('sha256').update(content).digest('hex');
  // By content, so that a corrected module is loaded by a process that has seen the broken one.
  const module = await importModule(`${pathToFileURL(file).href}?${hash.slice(0, 16)}`);
  if (typeof module.default === 'function') return module.default as BackendFactory;
  throw new Error(`its default export is ${typeof module.default}; expected a function that makes a backend`);
}
