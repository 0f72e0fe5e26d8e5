import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ContractSetup, ContractSubject } from './backend-subject.js';
import { BASE_FILES, create, createWorkspace, OWNS_NO_FILES, recordWorkspace } from './backend-subject.js';
import { readPatchable, readTree, writeTree } from './file-tree.js';

export function creatingContract(setup: ContractSetup): void {
  test('every directory below a repository locates the same repository', async () => {
    const { backend, source, repository } = await recordWorkspace(setup);
    expect(repository.root).toBe(source);
    expect(repository.name).not.toContain('/');
    expect(await backend.locate(source)).toEqual(repository);
    if (repository.commonDir !== null)
      expect(await backend.locate(join(source, 'dir/deep'))).toEqual(repository);
    await expect(backend.locate(join(source, 'none'))).rejects.toMatchObject({ code: 'NO_SUCH_DIRECTORY' });
  });

  test('a new workspace has the files of its source, and its steps are reported in order', async () => {
    const subject = await recordWorkspace(setup);
    const steps: string[] = [];
    await create(subject, { onStep: async step => void steps.push(step) });
    expect(steps).toEqual(['registered', 'populated']);
    writeTree(subject.scratch, BASE_FILES);
    expect(readPatchable(subject.path)).toEqual(readPatchable(subject.scratch));
  });

  test('creating changes nothing in the source', async () => {
    const subject = await recordWorkspace(setup);
    const before = await describeSource(subject);
    await create(subject);
    expect(await describeSource(subject)).toEqual(before);
  });

  test('an existing directory at the path is left untouched', async ({ skip }) => {
    const subject = await recordWorkspace(setup);
    skip(!subject.backend.ownsFiles, OWNS_NO_FILES);
    mkdirSync(subject.path, { recursive: true });
    writeFileSync(join(subject.path, 'mine.txt'), 'mine');
    await expect(create(subject)).rejects.toMatchObject({ code: 'PATH_EXISTS' });
    await subject.backend.undoCreate(subject.record);
    expect(Object.keys(readTree(subject.path))).toEqual(['mine.txt']);
  });

  for (const last of ['nothing', 'registered', 'populated'] as const) {
    test(`creating that reached ${last} can be undone, twice, and repeated`, async () => {
      const subject = await recordWorkspace(setup);
      const before = await describeSource(subject);
      await interrupt(subject, last);
      await subject.backend.undoCreate(subject.record);
      await subject.backend.undoCreate(subject.record);
      expect(existsSync(subject.path)).toBe(!subject.backend.ownsFiles);
      expect(await describeSource(subject)).toEqual(before);
      await create(subject);
      expect(existsSync(subject.path)).toBe(true);
    });
  }

  test('undoing removes only what Carrel made', async ({ skip }) => {
    const subject = await createWorkspace(setup);
    skip(!subject.backend.ownsFiles, OWNS_NO_FILES);
    await subject.backend.undoCreate(subject.record);
    mkdirSync(subject.path, { recursive: true });
    writeFileSync(join(subject.path, 'mine.txt'), 'mine');
    await subject.backend.undoCreate(subject.record);
    expect(Object.keys(readTree(subject.path))).toEqual(['mine.txt']);
  });
}

/** Creates until a step is reported, and fails there. */
async function interrupt(subject: ContractSubject, last: string): Promise<void> {
  if (last === 'nothing') return;
  const onStep = async (step: string) => {
    if (step === last) throw new Error('interrupted');
  };
  await expect(create(subject, { onStep })).rejects.toThrow('interrupted');
}

/** Its files and, with git, its refs and index; a workspace adds its own refs and nothing else. */
export async function describeSource({ git, source, repository }: ContractSubject): Promise<unknown> {
  const files = readTree(source);
  if (repository.commonDir === null) return { files };
  const place = { gitDir: repository.commonDir, workTree: source };
  const refs = await git.text(['for-each-ref', 'refs/heads', 'refs/tags'], place);
  const own = refs.split('\n').filter(line => !line.includes('refs/heads/carrel/'));
  return { files, refs: own, status: await git.text(['status', '--porcelain'], place) };
}
