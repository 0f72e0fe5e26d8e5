import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { makeJjRepository, requireJj, testJj } from '../../../test/helpers/git/jj.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { backendContract } from '../backend-contract.js';
import { createJjBackend } from './backend.js';

beforeEach(requireJj);

for (const form of ['colocated', 'plain'] as const) {
  backendContract(`jj, ${form}`, async files => {
    const source = makeJjRepository(form, files);
    const git = testGit();
    const dirs = { temporaryRoot: tempDir(), keptDir: tempDir(), ownDirOf: () => tempDir() };
    const backend = createJjBackend({ git, jj: testJj(), ...dirs });
    return { backend, git, source, path: join(tempDir(), 'worktrees', 'desk'), scratch: tempDir() };
  });
}
