import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { git as plainGit } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { testGit } from '../../../test/helpers/test-git.js';
import { writeTree } from '../contract/tree.js';
import { backendContract } from '../contract.js';
import { createGitBackend } from './backend.js';

backendContract('git', async files => {
  const source = join(tempDir(), 'source');
  mkdirSync(source);
  plainGit(source, 'init', '--quiet', '--initial-branch=main');
  writeTree(source, files);
  plainGit(source, 'add', '--all');
  plainGit(source, 'commit', '--quiet', '-m', 'first');
  const git = testGit();
  const backend = createGitBackend({ git, temporaryRoot: tempDir() });
  return { backend, git, source, path: join(tempDir(), 'worktrees', 'desk'), scratch: tempDir() };
});
