import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { git as plainGit } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { backendContract } from '../backend-contract.js';
import { writeTree } from '../contract/file-tree.js';
import { createGitBackend } from './backend.js';

backendContract('git', async files => {
  const source = join(tempDir(), 'source');
  mkdirSync(source);
  plainGit(source, 'init', '--quiet', '--initial-branch=main');
  writeTree(source, files);
  plainGit(source, 'add', '--all');
  plainGit(source, 'commit', '--quiet', '-m', 'first');
  const git = testGit();
  const backend = createGitBackend({ git, temporaryRoot: tempDir(), keptDir: tempDir() });
  return { backend, git, source, path: join(tempDir(), 'worktrees', 'desk'), scratch: tempDir() };
});
