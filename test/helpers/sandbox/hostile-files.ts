import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceRecord } from '../../../src/domain/workspace/workspace.js';
import { createGitBackend } from '../../../src/workspace/git/backend.js';
import { testGit } from '../git/test-git.js';
import { git, makeRepository, writeFiles } from '../repository.js';
import { tempDir } from '../temp.js';
import { sandboxSettings } from './sandbox-settings.js';

export const SECRET = 'the-secret-of-the-house';

/** A sandboxed workspace of a repository with a submodule, as the host sees it, and what an agent may plant in it. */
export function makeHostileFixture() {
  const outside = tempDir();
  const trap = join(outside, 'trap');
  const marker = join(outside, 'marker');
  writeFileSync(trap, `#!/bin/sh\ntouch ${marker}\ncat\n`);
  chmodSync(trap, 0o755);
  writeFileSync(join(outside, 'secret'), `${SECRET}\n`);
  const repository = makeRepository({
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'dir/c.txt': 'c\n',
    '.gitignore': '*.log\n',
    '.gitmodules': '[submodule "sub"]\n\tpath = sub\n\turl = ../sub\n',
  });
  const commit = git(repository, 'rev-parse', 'HEAD');
  git(repository, 'update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
  git(repository, 'commit', '--quiet', '-m', 'submodule');
  const path = join(tempDir(), 'ws_0000000000000001');
  git(repository, 'worktree', 'add', '--quiet', '--no-track', '-b', 'carrel/x', path);
  const temporaryRoot = tempDir();
  const record = sandboxedRecord(repository, path, git(repository, 'rev-parse', 'HEAD'));
  const backend = createGitBackend({ git: testGit(), temporaryRoot, keptDir: tempDir() });
  return { repository, path, outside, trap, marker, record, backend, temporaryRoot };
}

export type HostileFixture = ReturnType<typeof makeHostileFixture>;

function sandboxedRecord(repository: string, path: string, commit: string): WorkspaceRecord {
  return {
    id: 'ws_0000000000000001',
    name: 'x',
    repository,
    backend: 'git',
    runtime: 'bubblewrap',
    isolation: { requested: 'full', effective: 'full', reason: null },
    path,
    branch: 'carrel/x',
    base: { ref: 'main', commit },
    status: 'ready',
    ports: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    lastActivityAt: '2026-01-01T00:00:00.000Z',
    warnings: [],
    sandbox: sandboxSettings(),
    repositoryId: 'r',
    commonDir: join(repository, '.git'),
    ownsBranch: true,
    operationId: null,
    template: null,
    environment: {},
    included: [],
  };
}

/** A repository whose configuration names the trap wherever git would run it, and whose files make git look. */
export function plantRepository({ trap }: HostileFixture, path: string): void {
  makeRepository({ 'inner.txt': 'inner\n' }, path);
  writeFiles(path, { '.gitattributes': '* filter=evil diff=evil\n', 'inner.txt': 'innex\n' });
  for (const [key, value] of hostileSettings(trap)) git(path, 'config', key, value);
  writeFiles(path, { '.git/included': '[core]\n\tfsmonitor = true\n' });
  for (const hook of ['post-index-change', 'post-checkout', 'pre-commit', 'reference-transaction'])
    plantHook(path, hook, trap);
}

const hostileSettings = (trap: string) =>
  [
    ['core.fsmonitor', trap],
    ['filter.evil.clean', trap],
    ['filter.evil.smudge', trap],
    ['diff.evil.textconv', trap],
    ['diff.external', trap],
    ['remote.evil.url', `ext::${trap}`],
    ['remote.evil.promisor', 'true'],
    ['extensions.partialClone', 'evil'],
    ['core.repositoryFormatVersion', '1'],
    ['protocol.ext.allow', 'always'],
  ] as const;

function plantHook(path: string, name: string, trap: string): void {
  mkdirSync(join(path, '.git/hooks'), { recursive: true });
  writeFileSync(join(path, '.git/hooks', name), `#!/bin/sh\n${trap} </dev/null\n`);
  chmodSync(join(path, '.git/hooks', name), 0o755);
}

/** The same behind a `.git` that is a file. */
export function plantLinkedRepository(fixture: HostileFixture, path: string, gitDir: string): void {
  plantRepository(fixture, path);
  execFileSync('mv', [join(path, '.git'), gitDir]);
  writeFileSync(join(path, '.git'), `gitdir: ${gitDir}\n`);
}

export function makePipe(path: string): void {
  rmSync(path, { force: true, recursive: true });
  execFileSync('mkfifo', [path]);
}

/** Whether the trap went off since the last time that this was asked. */
export function hasSprung({ marker }: HostileFixture): boolean {
  const isThere = existsSync(marker);
  rmSync(marker, { force: true });
  return isThere;
}

/** Everything that Carrel does with the files of a workspace; each gives what it says, or what it refused with. */
export function operationsOn({ backend, record }: HostileFixture) {
  const limits = { ignoredBytes: 50_000_000, regenerable: ['node_modules'] };
  const request = { snapshotId: 'snap_1', message: null, limits, at: new Date('2026-01-02T03:04:05Z') };
  const chunks: Buffer[] = [];
  return {
    inspect: () => backend.inspect([record], { size: true }),
    findRisks: () => backend.findRisks(record, limits),
    diff: async () => {
      const told = await backend.diffing?.diff(record, 'patch', chunk => void chunks.push(chunk));
      return { ...told, patch: Buffer.concat(chunks).toString('latin1') };
    },
    look: () => backend.cleanRemoval?.inspectIfClean(record),
    prepareLanding: () => backend.landing?.prepare(record, { strategy: 'merge' }),
    commitAll: () => backend.landing?.commitAll(record, 'all'),
    capture: () => backend.snapshots?.capture(record, request),
  };
}

/** All objects of the repository, to look for something that must not be in there. */
export function dumpObjects({ repository }: HostileFixture): string {
  return execFileSync('git', ['cat-file', '--batch-all-objects', '--batch', '--unordered'], {
    cwd: repository,
    encoding: 'latin1',
    maxBuffer: 100_000_000,
  });
}
