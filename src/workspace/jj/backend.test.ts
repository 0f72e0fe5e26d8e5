import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { flavours } from '../../../test/helpers/flavours.js';
import { type JjForm, makeJjRepository, requireJj, testJj } from '../../../test/helpers/jj.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { testGit } from '../../../test/helpers/test-git.js';
import { backendContract } from '../contract.js';
import { createJjBackend } from './backend.js';

beforeEach(requireJj);

for (const form of flavours<JjForm>('colocated', 'plain')) {
  backendContract(`jj, ${form}`, async files => {
    const source = makeJjRepository(form, files);
    const git = testGit();
    const backend = createJjBackend({ git, jj: testJj(), temporaryRoot: tempDir() });
    return { backend, git, source, path: join(tempDir(), 'worktrees', 'desk'), scratch: tempDir() };
  });
}
