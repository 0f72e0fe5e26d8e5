import { expect, test } from 'vitest';
import { displayPath } from '../../git/byte-path.js';
import type { DiffFormat } from '../../git/diff/diff-arguments.js';
import {
  BASE_FILES,
  type ContractSetup,
  type ContractSubject,
  createWorkspace,
  makeEveryKindOfChange,
} from './backend-subject.js';
import { readPatchable, writeTree } from './file-tree.js';

const NO_DIFF = 'it has no diff';

export function diffingContract(setup: ContractSetup): void {
  test('a workspace without changes has an empty patch', async ({ skip }) => {
    const subject = await createWorkspace(setup);
    skip(!subject.backend.diffing, NO_DIFF);
    expect((await readDiff(subject, 'patch')).toString('latin1')).toBe('');
  });

  test('applied to the base, the patch gives the files of the workspace', async ({ skip }) => {
    const subject = await createWorkspace(setup);
    skip(!subject.backend.diffing, NO_DIFF);
    makeEveryKindOfChange(subject.path);
    const patch = await readDiff(subject, 'patch');
    writeTree(subject.scratch, BASE_FILES);
    await subject.git.run(['apply', '--whitespace=nowarn', '-'], { cwd: subject.scratch, stdin: patch });
    expect(readPatchable(subject.scratch)).toEqual(readPatchable(subject.path));
  });

  test('making a diff changes nothing', async ({ skip }) => {
    const subject = await createWorkspace(setup);
    skip(!subject.backend.diffing, NO_DIFF);
    makeEveryKindOfChange(subject.path);
    const before = readPatchable(subject.path);
    const [inspection] = await subject.backend.inspect([subject.record], { size: false });
    await readDiff(subject, 'patch');
    expect(readPatchable(subject.path)).toEqual(before);
    expect((await subject.backend.inspect([subject.record], { size: false }))[0]).toEqual(inspection);
  });

  test('the short formats name every file', async ({ skip }) => {
    const subject = await createWorkspace(setup);
    skip(!subject.backend.diffing, NO_DIFF);
    makeEveryKindOfChange(subject.path);
    const names = (await readDiff(subject, 'name-only')).toString('utf8');
    for (const name of ['a.txt', 'gone.txt', 'run.sh', 'new/binary.bin', displayPath('odd/\xc3\xa9')]) {
      expect(names).toContain(name);
    }
    expect((await readDiff(subject, 'stat')).toString('utf8')).toContain('a.txt');
  });
}

async function readDiff({ backend, record }: ContractSubject, format: DiffFormat): Promise<Buffer> {
  const chunks: Buffer[] = [];
  await backend.diffing?.diff(record, format, chunk => void chunks.push(chunk));
  return Buffer.concat(chunks);
}
