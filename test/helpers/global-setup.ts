import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** What every Carrel of a test has for XDG_CACHE_HOME: the compiled code, once for all of them. */
    caches: string;
  }
}

/** The end-to-end tests run the built command. `npm test` builds it first. */
export default function setup(project: TestProject): () => void {
  if (!existsSync('dist/index.js'))
    throw new Error('dist/ is missing; expected a build: run `npm test` or `npm run build`');
  // Reading the certificates takes every Node 45 ms, the tests start thousands, and none of them leaves the machine.
  delete process.env.NODE_EXTRA_CA_CERTS;
  const caches = mkdtempSync(join(tmpdir(), 'carrel-test-caches-'));
  project.provide('caches', caches);
  return () => rmSync(caches, { recursive: true, force: true });
}
