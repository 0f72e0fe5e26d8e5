import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gitEnv } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { createBackendParts } from '../../testing/backend-parts.js';
import { backendContract } from '../backend-contract.js';
import { writeTree } from '../contract/file-tree.js';
import { loadBackendModule } from './custom-backends.js';
import { guardBackend } from './guard-backend.js';

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/copy-backend.mjs');

backendContract('the example of a backend, as Carrel uses it', async files => {
  const source = join(tempDir(), 'source');
  mkdirSync(source);
  writeTree(source, files);
  const stateDir = join(tempDir(), 'state');
  const parts = createBackendParts({ stateDir, temporaryRoot: tempDir(), environment: gitEnv() });
  const backend = guardBackend('copy', await (await loadBackendModule(EXAMPLE))(parts), parts.git);
  return { backend, git: parts.git, source, path: join(tempDir(), 'source', 'copy'), scratch: tempDir() };
});
