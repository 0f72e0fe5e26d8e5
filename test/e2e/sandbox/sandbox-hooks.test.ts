import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { fingerprint } from '../../helpers/fingerprint.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { createTidyCarrel, DESK_FILES, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// `sandbox.hooks`: hooks and configuration of the repository in a sandbox with a private git directory.

beforeEach(requireBubblewrap);

const HOOK = '#!/bin/sh\necho "the hook ran in $CARREL_SANDBOX" >&2\ntest ! -e forbidden.txt\n';

function makeSite(hooks: string, up: readonly string[] = []) {
  const repository = makeRepository(DESK_FILES);
  writeFiles(repository, { '.git/hooks/pre-commit': HOOK });
  chmodSync(join(repository, '.git/hooks/pre-commit'), 0o755);
  git(repository, 'config', 'our.setting', 'value');
  const config = `sandbox:\n  runtime: bubblewrap\n  hooks: ${hooks}\n`;
  const fixture = makeFixture({ repository, config, up: [...up, '--isolation', 'full', '--strict'] });
  return { ...fixture, inside: (script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script) };
}

const COMMIT = 'echo x >new.txt; git add new.txt; git commit -qm inside';

test('by default neither hooks nor configuration of the repository are inside', () => {
  const { inside } = makeSite('hide');
  expect(inside('ls /run/carrel/parent; git config our.setting').stdout).toBe('objects\n');
  expect(inside(COMMIT)).toMatchObject({ status: 0, stderr: '' });
});

thoroughTest('with show they can be read and not written, and hooks do not run', () => {
  const { inside, repository } = makeSite('show');
  const { hooks, config } = fingerprint(repository);
  expect(inside('cat /run/carrel/parent/hooks/pre-commit')).toMatchObject({ status: 0, stdout: HOOK });
  expect(inside('git config --file /run/carrel/parent/config our.setting').stdout).toBe('value\n');
  for (const name of ['hooks/pre-commit', 'hooks/post-checkout', 'config'])
    expect(inside(`echo x >>/run/carrel/parent/${name}`).status).not.toBe(0);
  expect(inside(COMMIT)).toMatchObject({ status: 0, stderr: '' });
  expect(fingerprint(repository)).toMatchObject({ hooks, config });
});

test.each([
  ['a worktree', []],
  ['a directory in place', ['--workspace', '.']],
] as const)(
  'with run git inside obeys the hooks in %s, they cannot be replaced, and outside nothing changes',
  (_, up) => {
    const { inside, repository, path } = makeSite('run', up);
    const { hooks } = fingerprint(repository);
    expect(inside(COMMIT)).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('the hook ran in 1'),
    });
    expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('inside');
    expect(inside('echo x >forbidden.txt; git add forbidden.txt; git commit -qm no').status).toBe(1);
    const place = '"$(git rev-parse --git-dir)/hooks"';
    for (const attempt of [`rm -rf ${place}`, `mv ${place} aside`, `echo x >${place}/pre-push`])
      expect({ attempt, failed: inside(attempt).status !== 0 }).toEqual({ attempt, failed: true });
    expect(fingerprint(repository)).toMatchObject({ hooks });
    expect(readFileSync(join(path, 'new.txt'), 'utf8')).toBe('x\n');
  },
);

thoroughTest('hooks of core.hooksPath are those of the repository', () => {
  const repository = makeRepository(DESK_FILES);
  writeFiles(repository, { 'team/hooks/pre-commit': HOOK });
  chmodSync(join(repository, 'team/hooks/pre-commit'), 0o755);
  git(repository, 'config', 'core.hooksPath', 'team/hooks');
  const config = 'sandbox:\n  runtime: bubblewrap\n  hooks: run\n';
  const fixture = makeFixture({ repository, config, up: ['--isolation', 'full', '--strict'] });
  expect(existsSync(join(fixture.path, 'team'))).toBe(false);
  expect(fixture.run('exec', 'a', '--', 'sh', '-c', COMMIT).stderr).toContain('the hook ran in 1');
});

test('a repository cannot choose it', () => {
  const repository = makeRepository({ ...DESK_FILES, '.carrel/config.yaml': 'sandbox:\n  hooks: run\n' });
  expect(createTidyCarrel().error(repository, 'up', 'a')).toMatchObject({
    status: 2,
    message: expect.stringContaining("sandbox.hooks can't be set by a repository"),
  });
});
