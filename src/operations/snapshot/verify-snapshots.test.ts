import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../test/helpers/fingerprint.js';
import { thoroughTest } from '../../../test/helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../../test/helpers/repository.js';
import { makeWorkSite } from '../../../test/helpers/task/work-site.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { diagnose } from '../diagnosis/doctor.js';
import { snapshotWorkspace } from './snapshot.js';
import { verifySnapshots } from './verify-snapshots.js';

/** A workspace with files of every kind, and two snapshots of it with different files. */
async function makeSnapshots() {
  const temporary = tempDir();
  const site = await makeWorkSite(undefined, { TMPDIR: temporary });
  const { path } = await site.up('a');
  writeFiles(path, { 'new.txt': 'first\n', 'run.sh': '#!/bin/sh\n', 'secret.log': 'ignored\n' });
  chmodSync(join(path, 'run.sh'), 0o750);
  symlinkSync('nowhere', join(path, 'link'));
  mkdirSync(join(path, 'empty'), { mode: 0o711 });
  makeRepository({ 'inner.txt': 'inner\n' }, join(path, 'nested'));
  const query = { repository: site.repository, name: 'a' };
  const first = await snapshotWorkspace(site.app, query);
  writeFiles(path, { 'new.txt': 'second\n', 'secret.log': 'ignored too\n' });
  const second = await snapshotWorkspace(site.app, query);
  return { ...site, temporary, first, second };
}

const looseObject = (gitDir: string, id: string): string =>
  join(gitDir, 'objects', id.slice(0, 2), id.slice(2));

/** Writes other bytes to a file that git made read-only, and returns a function that restores the old ones. */
function overwrite(file: string, bytes: Buffer): () => void {
  const before = readFileSync(file);
  chmodSync(file, 0o644);
  writeFileSync(file, bytes);
  return () => writeFileSync(file, before);
}

/** One bit, in the middle of the file. */
function flipBit(file: string): () => void {
  const bytes = readFileSync(file);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return overwrite(file, bytes);
}

/** Moves an object to a separate pack; returns the pack. */
function packAlone(store: string, id: string): string {
  const input = `${id}\n`;
  const pack = execFileSync('git', ['pack-objects', '--quiet', 'objects/pack/pack'], { cwd: store, input });
  rmSync(looseObject(store, id), { force: true });
  return join(store, `objects/pack/pack-${pack.toString('utf8').trim()}.pack`);
}

describe('doctor --deep', () => {
  thoroughTest('verifies snapshots by restoring them, and leaves nothing behind', async () => {
    const { app, repository, temporary, first, second } = await makeSnapshots();
    const before = fingerprint(repository);
    expect(await verifySnapshots(app, { repository })).toMatchObject([
      { id: second.id, workspace: 'a', status: 'ok', problems: [], hint: null },
      { id: first.id, status: 'ok' },
    ]);
    expect(fingerprint(repository)).toEqual(before);
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(2);
    expect(readdirSync(temporary)).toEqual([]);
    const abort = new AbortController();
    const context = { ...app, narrate: (line: string) => line.includes('2 of 2') && abort.abort() };
    const verifying = verifySnapshots(context, { repository, signal: abort.signal });
    await expect(verifying).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(temporary)).toEqual([]);
  });

  thoroughTest('reports what is broken, and verifies the others', async () => {
    const { app, repository, first, second } = await makeSnapshots();
    const { ref, objectStore: gitDir } = first;
    const commit = first.commit as string;
    const store = join(app.places.stateDir, 'kept/sha1.git');
    const [blob = '', other = ''] = [first, second].map(snapshot =>
      git(repository, 'rev-parse', `${snapshot.commit}:new.txt`),
    );
    const ignored = git(store, 'rev-parse', `${first.kept}:ignored/secret.log`);
    const expectBroken = async (problem: string, hint: string) =>
      expect(await verifySnapshots(app, { repository })).toMatchObject([
        { id: second.id, status: 'ok' },
        {
          id: first.id,
          status: 'broken',
          problems: [expect.stringContaining(problem)],
          hint: expect.stringContaining(hint),
        },
      ]);

    const unflip = flipBit(looseObject(gitDir, blob));
    await expectBroken(`new.txt (object ${blob}) `, `git --git-dir ${gitDir} fsck`);
    unflip();

    const undo = overwrite(looseObject(gitDir, blob), readFileSync(looseObject(gitDir, other)));
    await expectBroken(`new.txt (object ${blob}) `, 'fsck');
    undo();

    renameSync(looseObject(gitDir, blob), join(gitDir, 'hidden'));
    await expectBroken(`object ${blob} is missing`, 'fsck');
    renameSync(join(gitDir, 'hidden'), looseObject(gitDir, blob));

    git(repository, 'update-ref', '-d', ref);
    const putBack = `git --git-dir ${gitDir} update-ref ${ref} ${commit}`;
    await expectBroken(`its ref ${ref} is gone`, `put it back with: ${putBack}`);
    git(repository, 'update-ref', ref, commit);

    flipBit(packAlone(store, ignored));
    await expectBroken('ignored/secret.log', `carrel restore ${first.id}`);
    const report = await diagnose(app, { repository, deep: true });
    expect(report).toMatchObject({ healthy: false, snapshots: [{ status: 'ok' }, { status: 'broken' }] });
    expect(report.checks.filter(({ name }) => name.startsWith('snapshot'))).toMatchObject([
      { name: 'snapshots', status: 'ok', message: '1 of 2 verified by restoring them', hint: null },
      { name: 'snapshot', status: 'problem', message: expect.stringContaining(`${first.id} of a: ignored/`) },
    ]);
  });

  it('finds damage in the vault of plain directories', async () => {
    const site = await makeWorkSite();
    const plain = tempDir();
    writeFiles(plain, { 'one.txt': 'one\n' });
    const { path, id } = await site.up('copy', { form: { kind: 'copy', directory: plain } });
    writeFiles(path, { 'new.txt': 'first\n' });
    const query = { repository: site.repository, name: id };
    const first = await snapshotWorkspace(site.app, query);
    writeFiles(path, { 'new.txt': 'second\n' });
    await snapshotWorkspace(site.app, query);
    const all = { repository: site.repository, all: true };
    expect(await verifySnapshots(site.app, all)).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    const vault = join(site.app.places.stateDir, 'vault.git');
    flipBit(looseObject(vault, git(vault, 'rev-parse', `${first.commit}:files/new.txt`)));
    const checked = await verifySnapshots(site.app, all);
    expect(checked).toMatchObject([{ status: 'ok' }, { id: first.id, status: 'broken' }]);
  });
});
