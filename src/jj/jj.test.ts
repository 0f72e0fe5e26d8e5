import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { jj, jjCommit, makeJjRepository, requireJj, testJj } from '../../test/helpers/git/jj.js';
import { writeFiles } from '../../test/helpers/repository.js';
import { tempDir } from '../../test/helpers/temp.js';
import { readFullPlace } from './jj.js';
import { identityVariables, readIdentity } from './jj-identity.js';
import { addWorkspace, fillWorkspace } from './jj-workspaces.js';
import { readWorkingCopy } from './working-copy.js';

beforeEach(requireJj);

/** A configuration in which every setting is a program that leaves a mark, and output is for people. */
function makeHostileConfig() {
  const directory = tempDir();
  const mark = join(directory, 'was-run');
  const program = join(directory, 'program');
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\nexit 1\n`);
  chmodSync(program, 0o755);
  const config = join(directory, 'config.toml');
  writeFileSync(
    config,
    [
      `ui = { pager = "${program}", paginate = "auto", editor = "${program}", diff-formatter = "${program}",`,
      '  color = "always", log-word-wrap = true }',
      `signing = { behavior = "force", backend = "gpg", backends.gpg.program = "${program}" }`,
      'fsmonitor.backend = "watchman"',
    ].join('\n'),
  );
  return { mark, jj: testJj({ JJ_CONFIG: config, COLUMNS: '40' }) };
}

test('no program of the user’s configuration runs, and the output of jj is as expected', async () => {
  const root = makeJjRepository('colocated');
  const hostile = makeHostileConfig();
  const path = tempDir();
  const workspace = { name: 'ws_1', path, commit: jjCommit(root, 'main') };
  await addWorkspace(hostile.jj, root, workspace, { env: {} });
  await fillWorkspace(hostile.jj, root, workspace, { env: {} });
  writeFiles(path, { 'a.txt': 'a\n' });
  await hostile.jj.run(['commit', '--message', 'a'], { workspace: path, touchesFiles: true });
  expect(await readWorkingCopy(hostile.jj, root, 'ws_1')).toEqual({
    commit: jjCommit(root, 'ws_1@'),
    changeId: jj(root, 'log', '--no-graph', '-r', 'ws_1@', '-T', 'change_id'),
    parents: [jjCommit(root, 'ws_1@-')],
    isDescribed: false,
    conflicts: [],
  });
  expect(existsSync(hostile.mark)).toBe(false);
});

test('the user configured in jj is the author, or Carrel when none is configured', async () => {
  const root = makeJjRepository('plain');
  expect(await readIdentity(testJj(), root)).toEqual({ name: 'Test', email: 'test@example.com' });
  const nobody = testJj({ JJ_USER: '', JJ_EMAIL: '' });
  expect(await identityVariables(nobody, root)).toEqual({ JJ_USER: 'Carrel', JJ_EMAIL: 'carrel@localhost' });
});

test('a failure has its exit status and the output of jj, and a missing jj has its own error', async () => {
  const root = makeJjRepository('plain');
  await expect(testJj().text(['log', '-r', 'none'], { workspace: root })).rejects.toMatchObject({
    code: 'JJ_FAILED',
    details: { command: 'jj log', exitCode: 1, stderr: expect.stringContaining('none') },
  });
  const missing = testJj({ PATH: '/nonexistent' });
  await expect(missing.text(['log'], { workspace: root })).rejects.toMatchObject({ code: 'JJ_MISSING' });
});

test('a full disk is recognized by the output of jj', () => {
  const flush =
    'Caused by:\n1: Could not flush buffered index data\n2: No space left on device (os error 28)';
  expect(readFullPlace(`${flush} at path "/repo/.git/index.lock"\n`)).toBe('/repo/.git/index.lock');
  expect(readFullPlace(`${flush}\n`)).toBe('');
  expect(readFullPlace('Error: Disk quota exceeded (os error 122)')).toBe('');
  expect(readFullPlace('Error: No such file or directory (os error 2)')).toBeUndefined();
});
