import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fingerprint } from '../../helpers/fingerprint.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { openTestEngine, type TestEngine } from '../../helpers/sandbox/container-engine.js';
import { createTidyCarrel, DESK_FILES, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requirePart } from '../../parts/required-part.js';

describe.each(['podman', 'docker'] as const)('a directory in place with %s', name => {
  let engine: TestEngine | undefined;
  beforeAll(async () => {
    engine = await openTestEngine(name);
  });
  afterAll(() => engine?.close());
  beforeEach(context => requirePart(context, engine !== undefined, name));

  function makeInPlace(repository: string, config = '') {
    const fixture = makeFixture({
      repository,
      carrel: createTidyCarrel(engine?.environment),
      up: ['--workspace', '.', '--isolation', 'full', '--strict'],
      config: `sandbox:\n  runtime: ${name}\n${config}`,
    });
    return { ...fixture, inside: (script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script) };
  }

  test('files are shared, commits get to its branch, and nothing of the user that git obeys can be written', () => {
    const repository = makeRepository(DESK_FILES);
    const sibling = join(dirname(repository), 'sibling.txt');
    writeFiles(dirname(repository), { 'sibling.txt': 'secret\n' });
    makeRepository({ 'dep.txt': 'dep\n' }, join(repository, 'vendor/dep'));
    git(repository, 'config', 'core.hooksPath', 'tools/hooks');
    writeFiles(repository, { 'tools/hooks/pre-commit': '# mine\n' });
    const { head, index, config, hooks } = fingerprint(repository);
    const { inside, ok } = makeInPlace(repository);
    expect(inside('echo new >new.txt; git add new.txt; git commit -qm inside; ls /workspace')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('new.txt'),
    });
    expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('inside');
    for (const attempt of [
      `cat ${sibling}`,
      'mv .git aside',
      'echo x >>vendor/dep/.git/config',
      'mv vendor/dep vendor/other',
      'mv vendor other',
      'echo x >>tools/hooks/pre-commit',
      'mv /workspace/tools /workspace/other',
    ])
      expect({ attempt, failed: inside(attempt).status !== 0 }).toEqual({ attempt, failed: true });
    inside('git config core.fsmonitor /tmp/x; git init -q made');
    expect(existsSync(join(repository, 'made/.git/covered-by-carrel'))).toBe(true);
    expect(fingerprint(repository)).toMatchObject({ head, index, config, hooks });
    ok('down', 'a');
    expect(readFileSync(join(repository, 'new.txt'), 'utf8')).toBe('new\n');
  });

  test('surgical has the refs of the repository, and not its configuration', () => {
    const repository = makeRepository(DESK_FILES);
    const before = fingerprint(repository);
    const { inside } = makeInPlace(repository, '  git: surgical\n');
    expect(inside('git commit -q --allow-empty -m inside')).toMatchObject({ status: 0 });
    expect(git(repository, 'log', '-1', '--format=%s', 'carrel/a')).toBe('inside');
    expect(inside('git config a.b c').status).not.toBe(0);
    expect(fingerprint(repository)).toEqual(before);
  });
});
