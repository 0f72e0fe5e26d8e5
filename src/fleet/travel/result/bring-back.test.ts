import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleAttempt } from '../../../../test/helpers/batch/sample-run.js';
import { openMachine, openSharedStore, submitRun } from '../../../../test/helpers/fleet/travel-bench.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { uploadBytes } from '../../artifacts/upload-blob.js';
import { bringBack } from './bring-back.js';
import { packResult } from './pack-result.js';

async function openRun() {
  const store = await openSharedStore();
  const submission = { dataset: 'golden', agent: 'nop', taskIds: ['fix-typo-001'] };
  const { run } = await submitRun(await openMachine(), store, submission);
  const directory = tempDir();
  writeFileSync(join(directory, 'patch.diff'), 'a patch\n');
  writeFileSync(join(directory, 'agent.log'), 'a log\n');
  const attempt = { ...sampleAttempt(), taskId: 'fix-typo-001', attempt: 1, worktreePath: null };
  const { taskId: task, identity } = attempt;
  const place = run.place.attempt(task, 1);
  const expected = (manifest: string) => ({ claim: 'row.1', task, attempt: 1, identity, manifest });
  return { store, run, directory, attempt, place, expected };
}

const claim = { id: 'row', number: 1 };

test('files and record are where a local attempt puts them, and again changes nothing', async () => {
  const { store, run, directory, attempt, place, expected } = await openRun();
  mkdirSync(join(directory, 'transcript'));
  writeFileSync(join(directory, 'transcript/1.jsonl'), '{}\n');
  const { hash } = await packResult(store, claim, { attempt, directory });
  await bringBack(run, store, expected(hash));
  await bringBack(run, store, expected(hash));
  expect(readdirSync(place.directory).sort()).toEqual([
    ...['agent.log', 'attempt.json', 'patch.diff', 'transcript'],
  ]);
  expect(readFileSync(place.patchFile, 'utf8')).toBe('a patch\n');
  expect(JSON.parse(readFileSync(place.recordFile, 'utf8'))).toEqual(attempt);
  expect(readFileSync(run.place.indexFile, 'utf8').trim().split('\n')).toHaveLength(1);
  expect(readdirSync(run.place.directory).filter(name => name.startsWith('carrel-'))).toEqual([]);
});

test('links are not packed, and a large file is named instead', async () => {
  const { store, directory, attempt } = await openRun();
  symlinkSync('/etc/hostname', join(directory, 'link.log'));
  writeFileSync(join(directory, 'core'), Buffer.alloc(64 * 1024 ** 2 + 1));
  const { manifest } = await packResult(store, claim, { attempt, directory });
  expect(manifest.files.map(({ path }) => path)).toEqual(['agent.log', 'patch.diff']);
  expect(manifest.dropped).toEqual(['core has 64 MB', 'link.log is not a file']);
});

test('a manifest with paths outside the attempt, or about another one, writes nothing', async () => {
  const { store, run, directory, attempt, place, expected } = await openRun();
  const { manifest } = await packResult(store, claim, { attempt, directory });
  const [file] = manifest.files;
  const paths = ['../x', '/tmp/x', 'a/../../x', '.', 'a//b', 'attempt.json', 'a\nb', 'a/b/c/d', ''];
  const changes: object[] = [
    ...paths.map(path => ({ files: [{ ...file, path }] })),
    { files: [...manifest.files, file] },
    { files: [...manifest.files, { ...file, path: 'patch.diff/x' }] },
    { files: [] },
    { claim: 'row.2' },
    { attempt: { ...attempt, attempt: 2 } },
    { attempt: { ...attempt, identity: 'other' } },
    { attempt: { ...attempt, patchPath: '../../../etc/passwd' } },
    { attempt: { ...attempt, logPath: '/etc/passwd' } },
    { more: 1 },
  ];
  for (const change of changes) {
    const hash = await uploadBytes(store, Buffer.from(JSON.stringify({ ...manifest, ...change })));
    await expect(bringBack(run, store, expected(hash))).rejects.toMatchObject({ code: 'RESULT_REFUSED' });
  }
  const noise = await uploadBytes(store, Buffer.from('not json'));
  await expect(bringBack(run, store, expected(noise))).rejects.toMatchObject({ code: 'RESULT_REFUSED' });
  expect(readdirSync(place.directory)).toEqual([]);
  expect(run.attempts()).toEqual([]);
});

test('wrong sizes, missing blobs and a lost run leave no record', async () => {
  const { store, run, directory, attempt, place, expected } = await openRun();
  const { manifest } = await packResult(store, claim, { attempt, directory });
  const put = (files: object[]) =>
    uploadBytes(store, Buffer.from(JSON.stringify({ ...manifest, files: [...files, manifest.files[1]] })));
  const [file] = manifest.files;
  const larger = await put([{ ...file, size: 1000 }]);
  await expect(bringBack(run, store, expected(larger))).rejects.toMatchObject({ code: 'RESULT_REFUSED' });
  const smaller = await put([{ ...file, size: 1 }]);
  await expect(bringBack(run, store, expected(smaller))).rejects.toMatchObject({ code: 'BLOB_TOO_LARGE' });
  const absent = await put([{ ...file, hash: '7'.repeat(64) }]);
  await expect(bringBack(run, store, expected(absent))).rejects.toMatchObject({ code: 'BLOB_MISSING' });
  const good = await put([{ ...file }]);
  const lost = {
    ...run,
    requireOurs: () => {
      throw new Error('lost');
    },
  };
  await expect(bringBack(lost, store, expected(good))).rejects.toThrow('lost');
  expect(readdirSync(place.directory)).toEqual([]);
});

test('a link in the place of a file is replaced, not followed', async () => {
  const { store, run, directory, attempt, place, expected } = await openRun();
  const { hash } = await packResult(store, claim, { attempt, directory });
  const outside = join(tempDir(), 'outside');
  mkdirSync(place.directory, { recursive: true });
  symlinkSync(outside, place.logFile);
  await bringBack(run, store, expected(hash));
  expect(existsSync(outside)).toBe(false);
  expect(readFileSync(place.logFile, 'utf8')).toBe('a log\n');
});
