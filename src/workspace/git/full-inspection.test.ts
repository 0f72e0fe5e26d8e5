import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { editUnseen } from '../../../test/helpers/git/unseen-edit.js';
import {
  commitFiles,
  gitEnv,
  makeRepository,
  git as plainGit,
  writeFiles,
} from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { makeWorkspace } from '../../../test/helpers/workspace/landing.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { type RunRequest, runProcess } from '../../exec/run-process.js';
import { withScratchDirectory } from '../../git/disk/scratch-directory.js';
import { createGit } from '../../git/git.js';
import { surveyWorkTree } from '../../git/work-tree/survey.js';
import { describeSurvey, readWorkTreeState } from '../../git/work-tree/work-tree-state.js';
import { createGitBackend } from './backend.js';
import { worktreeGitDir } from './worktree-place.js';

const LIMITS = { ignoredBytes: 1024 ** 2, regenerable: ['node_modules'] };

/** A workspace, and a backend that counts the processes of git. */
function makeInspected() {
  const workspace = makeWorkspace();
  const calls: string[] = [];
  const run = (request: RunRequest) => {
    calls.push(request.args.find((word, at) => !word.startsWith('-') && request.args[at - 1] !== '-c') ?? '');
    return runProcess(request);
  };
  const git = createGit({ run, env: gitEnvironment(gitEnv()) });
  const temporaryRoot = tempDir();
  const backend = createGitBackend({ git, temporaryRoot, keptDir: tempDir() });
  const inspectFully = () => backend.inspectFully?.(workspace.record, LIMITS, { size: true });
  /** What the three calls say that it stands for. */
  const inspectApart = async () => {
    const [inspection] = await backend.inspect([workspace.record], { size: true });
    const risks = await backend.findRisks(workspace.record, LIMITS, { isLook: true });
    const { changed = [] } = (await backend.diffing?.diff(workspace.record, 'name-only', () => {})) ?? {};
    return { inspection, risks, changed };
  };
  return { ...workspace, git, temporaryRoot, calls, inspectFully, inspectApart };
}

function makeEveryChange(path: string): void {
  commitFiles(path, { 'hidden.txt': 'h\n', 'unseen.txt': 'abcd\n', 'both.txt': '1\n', 'moved.txt': 'm\n' });
  writeFiles(path, { '.gitattributes': '*.crlf text eol=crlf\n', 'lines.crlf': 'a\r\n' });
  plainGit(path, 'add', '--all');
  writeFiles(path, { 'both.txt': '2\n', 'staged.txt': 's\n' });
  plainGit(path, 'add', '--all');
  editUnseen(path, 'unseen.txt', 'ABCD\n');
  plainGit(path, 'update-index', '--assume-unchanged', 'hidden.txt');
  writeFiles(path, {
    'hidden.txt': 'edited\n',
    'both.txt': '3\n',
    'new/one\ntwo.txt': 'x\n',
    '.env': 'ignored\n',
  });
  writeFiles(path, { 'planned.txt': 'p\n', '.vscode/tasks.json': '{}' });
  plainGit(path, 'add', '--intent-to-add', 'planned.txt');
  rmSync(join(path, 'b.txt'));
  renameSync(join(path, 'moved.txt'), join(path, 'a.moved'));
  mkdirSync(join(path, 'moved.txt'));
  writeFileSync(join(path, 'moved.txt', 'inside'), 'i\n');
  symlinkSync('nowhere', join(path, 'link'));
  makeRepository({ a: 'a\n' }, join(path, 'nested'));
}

test('one git status says of every kind of change what the separate calls say', async () => {
  const { path, record, git, temporaryRoot, inspectFully, inspectApart } = makeInspected();
  makeEveryChange(path);
  const full = await inspectFully();
  expect(full).toEqual(await inspectApart());
  expect(full?.inspection).toMatchObject({
    changes: { staged: 4, conflicted: 0 },
    ahead: 1,
    branch: 'carrel/x',
  });
  expect(full?.changed).toContain('unseen.txt');
  const options = { limits: LIMITS, included: [], temporaryRoot };
  const place = worktreeGitDir(record);
  const slowly = await withScratchDirectory(temporaryRoot, async scratch =>
    describeSurvey(git, place, await surveyWorkTree(git, place, scratch, LIMITS.regenerable), options),
  );
  expect(await readWorkTreeState(git, place, options)).toEqual(slowly);
});

test('a conflict, and a submodule with changes', async () => {
  const { path, repository, inspectFully, inspectApart } = makeInspected();
  commitFiles(repository, { 'b.txt': 'theirs\n' });
  commitFiles(path, { 'b.txt': 'ours\n' });
  const library = makeRepository({ 'lib.txt': 'lib\n' });
  plainGit(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'sub');
  plainGit(path, 'commit', '--quiet', '-m', 'submodule');
  expect(() => plainGit(path, 'merge', 'main')).toThrow();
  writeFiles(path, { 'sub/lib.txt': 'edited\n' });
  const full = await inspectFully();
  expect(full).toEqual(await inspectApart());
  expect(full?.inspection.changes).toEqual({ staged: 0, unstaged: 1, untracked: 0, conflicted: 1 });
});

test('a clean workspace and one with changes take one process, one with a commit at most four', async () => {
  const { path, calls, inspectFully } = makeInspected();
  expect(await inspectFully()).toMatchObject({ risks: [], changed: [], inspection: { ahead: 0, behind: 0 } });
  expect(calls.splice(0)).toEqual(['status']);
  writeFiles(path, { 'a.txt': 'edited\n', 'new.txt': 'x\n' });
  expect(await inspectFully()).toMatchObject({ changed: ['a.txt', 'new.txt'] });
  expect(calls.splice(0)).toEqual(['status']);
  commitFiles(path, { 'c.txt': '1\n' });
  expect((await inspectFully())?.risks.map(({ kind }) => kind)).toEqual(['commits']);
  expect(calls.splice(0).length).toBeLessThanOrEqual(4);
});

test('an autorun file that may be as in the base again is left to a diff', async () => {
  const { path, inspectFully, inspectApart } = makeInspected();
  commitFiles(path, { '.envrc': 'committed\n', 'c.txt': 'c\n' });
  rmSync(join(path, '.envrc'));
  writeFiles(path, { 'c.txt': 'edited\n' });
  expect((await inspectFully())?.changed).toEqual((await inspectApart()).changed);
  writeFiles(path, { '.envrc': 'edited\n' });
  expect((await inspectFully())?.changed).toBeUndefined();
});
