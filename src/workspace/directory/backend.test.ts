import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isThorough, thoroughTest } from '../../../test/helpers/flavours.js';
import { gitEnv, makeRepository, git as plainGit, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { gitEnvironment } from '../../exec/command-environment.js';
import { runProcess } from '../../exec/run-process.js';
import { createGit } from '../../git/git.js';
import { backendContract } from '../backend-contract.js';
import {
  type ContractPlace,
  type ContractSubject,
  create,
  createWorkspace,
  recordWorkspace,
} from '../contract/backend-subject.js';
import { type Files, writeTree } from '../contract/file-tree.js';
import { createDirectoryBackend } from './backend.js';
import { ensureVault } from './vault.js';

const git = createGit({ run: runProcess, env: gitEnvironment(gitEnv()) });

async function setup(files: Files, vaultDir = makeVaultPath()): Promise<ContractPlace> {
  const source = join(tempDir(), 'source');
  mkdirSync(source);
  writeTree(source, files);
  const backend = createDirectoryBackend({ git, vaultDir, temporaryRoot: tempDir() });
  return { backend, git, source, path: join(tempDir(), 'source', 'copy'), scratch: tempDir() };
}

const makeVaultPath = (): string => join(tempDir(), 'state', 'vault.git');

if (isThorough) backendContract('directory', files => setup(files));

async function createCopy(): Promise<ContractSubject & { vaultDir: string }> {
  const vaultDir = makeVaultPath();
  return { ...(await createWorkspace(files => setup(files, vaultDir))), vaultDir };
}

describe('directory', () => {
  test('concurrent creation makes one vault', async () => {
    const vaultDir = join(tempDir(), 'vault.git');
    await Promise.all(Array.from({ length: 8 }, () => ensureVault(git, vaultDir)));
    expect(readdirSync(join(vaultDir, '..'))).toEqual(['vault.git']);
    expect(plainGit(vaultDir, 'rev-parse', '--is-bare-repository')).toBe('true');
  });

  thoroughTest('inspecting, diffing and finding risks add nothing to the vault', async () => {
    const subject = await createCopy();
    const { vaultDir } = subject;
    writeFiles(subject.path, { 'new.txt': 'never stored' });
    const before = plainGit(vaultDir, 'count-objects', '-v');
    await subject.backend.inspect([subject.record], { size: true });
    await subject.backend.findRisks(subject.record, { ignoredBytes: 0, regenerable: [] });
    await subject.backend.diffing?.diff(subject.record, 'patch', () => {});
    expect(plainGit(vaultDir, 'count-objects', '-v')).toBe(before);
    expect(plainGit(vaultDir, 'for-each-ref', '--format=%(refname)')).toBe(
      `refs/carrel/workspaces/${subject.record.id}/base`,
    );
  });

  test('after removal the vault has no ref and no record of the workspace', async () => {
    const subject = await createCopy();
    const { vaultDir } = subject;
    const { removal } = subject.backend;
    await removal.setAside(subject.record);
    await removal.unregister(subject.record, {}, null);
    await removal.destroy(subject.record);
    expect(plainGit(vaultDir, 'for-each-ref')).toBe('');
    expect(readdirSync(join(vaultDir, 'carrel'))).toEqual([]);
  });

  test('a copy of a repository has no version control, and its diff shows ignore and attribute files too', async () => {
    const subject = await recordWorkspace(files => setup(files));
    makeRepository({ '.gitignore': 'ignored\n', '.gitattributes': '* text=auto\n' }, subject.source);
    writeFiles(subject.source, { ignored: 'copied all the same\n' });
    await create(subject);
    expect(existsSync(join(subject.path, '.git'))).toBe(false);
    writeFiles(subject.path, { '.gitignore': '*\n', ignored: 'edited\r\n' });
    const chunks: Buffer[] = [];
    await subject.backend.diffing?.diff(subject.record, 'patch', chunk => void chunks.push(chunk));
    const patch = Buffer.concat(chunks).toString('utf8');
    expect(patch).toContain('+++ b/.gitignore');
    expect(patch).toContain('+edited\r\n');
  });

  thoroughTest(
    'the files of a repository that an agent creates inside are a risk, and the diff reports what it left out',
    async () => {
      const subject = await createWorkspace(files => setup(files));
      makeRepository({ 'inner.txt': 'x' }, join(subject.path, 'inner'));
      const risks = await subject.backend.findRisks(subject.record, { ignoredBytes: 0, regenerable: [] });
      expect(risks.flatMap(risk => risk.items)).toContain('inner/.git/HEAD');
      const result = await subject.backend.diffing?.diff(subject.record, 'patch', () => {});
      expect(result?.skipped).toContain('inner/.git/HEAD');
    },
  );

  test('without its base every file counts as new', async () => {
    const subject = await createCopy();
    const { vaultDir } = subject;
    plainGit(vaultDir, 'update-ref', '-d', `refs/carrel/workspaces/${subject.record.id}/base`);
    const [risk] = await subject.backend.findRisks(subject.record, { ignoredBytes: 0, regenerable: [] });
    expect(risk).toMatchObject({ kind: 'untracked', flag: '--discard-changes' });
    expect(risk?.items).toContain('a.txt');
  });

  test('choosing a base is refused', async () => {
    const { backend, repository } = await recordWorkspace(files => setup(files));
    await expect(backend.resolve(repository, { base: 'main' })).rejects.toMatchObject({
      code: 'UNKNOWN_BASE',
    });
  });

  test('a partial registration is undone, and a directory that is not empty is kept', async () => {
    const { backend, record, path } = await recordWorkspace(files => setup(files));
    mkdirSync(path, { recursive: true });
    await backend.undoCreate(record);
    expect(existsSync(path)).toBe(false);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'mine'), '');
    await backend.undoCreate(record);
    expect(existsSync(join(path, 'mine'))).toBe(true);
  });
});
