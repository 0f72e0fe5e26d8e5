import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleWarmProgram } from '../warm/bundle.js';
import { makeTemporaryRoot } from './temporary-root.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** What every Carrel of a test has for XDG_CACHE_HOME: the compiled code, once for all of them. */
    caches: string;
    /** The program of `test/warm`. */
    warmProgram: string;
  }
}

/** The end-to-end tests run the built command. `npm test` builds it first. */
export default async function setup(project: TestProject): Promise<() => void> {
  if (!existsSync('dist/index.js'))
    throw new Error('dist/ is missing; expected a build: run `npm test` or `npm run build`');
  // Reading the certificates takes every Node 45 ms, the tests start thousands, and none of them leaves the machine.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const root = makeTemporaryRoot();
  // Other users, as whom some tests run commands, must be able to pass.
  if (root) chmodSync(root, 0o1777);
  if (root) process.env.TMPDIR = root;
  const caches = mkdtempSync(join(tmpdir(), 'carrel-test-caches-'));
  project.provide('caches', caches);
  project.provide('warmProgram', await bundleWarmProgram(join(caches, 'warm')));
  return () => {
    for (const directory of [caches, root])
      if (directory) rmSync(directory, { recursive: true, force: true });
  };
}
