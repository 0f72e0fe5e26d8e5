import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';
import { DESK_FILES } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// `carrel up --template claude`: a sandbox in which the agent can be started.

/** A home with an agent that npm has installed there: a link in a directory of PATH, and a package. */
function makeSite(variables: Readonly<Record<string, string>> = {}) {
  const home = tempDir();
  writeFiles(home, {
    'npm/lib/node_modules/@anthropic-ai/claude-code/cli.sh':
      '#!/bin/sh\n. "$(dirname "$(readlink -f "$0")")/part.sh"\n',
    'npm/lib/node_modules/@anthropic-ai/claude-code/part.sh': 'echo "claude with $ANTHROPIC_API_KEY"\n',
    'npm/lib/node_modules/other/secret.txt': 'secret\n',
  });
  mkdirSync(join(home, 'npm/bin'));
  symlinkSync('../lib/node_modules/@anthropic-ai/claude-code/cli.sh', join(home, 'npm/bin/claude'));
  chmodSync(join(home, 'npm/lib/node_modules/@anthropic-ai/claude-code/cli.sh'), 0o755);
  const PATH = `${join(home, 'npm/bin')}:${variables.PATH ?? process.env.PATH}`;
  return { home, carrel: createCarrel(home, { ...variables, PATH }), repository: makeRepository(DESK_FILES) };
}

describe('with a sandbox', () => {
  beforeEach(requireBubblewrap);

  test('the template of an agent gives a sandbox with its program and its key, and nothing else of the home', () => {
    const { carrel, repository, home } = makeSite({ ANTHROPIC_API_KEY: 'the key', OPENAI_API_KEY: 'other' });
    const workspace = carrel.json<Workspace>(repository, 'up', 'a', '--template', 'claude');
    expect(workspace.isolation).toEqual({ requested: 'full', effective: 'full', reason: null });
    expect(carrel.ok(repository, 'exec', 'a', '--', 'claude')).toBe('claude with the key');
    const script = `cat ${home}/npm/lib/node_modules/other/secret.txt; echo "$OPENAI_API_KEY"`;
    expect(carrel.run(repository, 'exec', 'a', '--', 'sh', '-c', script)).toMatchObject({ stdout: '\n' });
  });

  test('a missing key is reported, and the user chooses another mode by flag or file', () => {
    const { carrel, repository, home } = makeSite();
    const { warnings } = carrel.json<Workspace>(repository, 'up', 'a', '--template', 'claude');
    expect(warnings.join()).toContain('Claude Code has no key inside the sandbox: set ANTHROPIC_API_KEY or');
    const flag = ['--isolation', 'worktree'];
    expect(carrel.json<Workspace>(repository, 'up', 'b', '--template', 'claude', ...flag)).toMatchObject({
      isolation: { requested: 'worktree', effective: 'worktree' },
    });
    // A file of the repository is not the user's choice.
    writeFiles(repository, { '.carrel/config.yaml': 'templates:\n  claude:\n    isolation: worktree\n' });
    expect(carrel.json<Workspace>(repository, 'up', 'c', '--template', 'claude')).toMatchObject({
      isolation: { effective: 'full' },
    });
    writeFiles(home, { 'config/carrel/config.yaml': 'isolation:\n  default: worktree\n' });
    expect(carrel.json<Workspace>(repository, 'up', 'd', '--template', 'codex')).toMatchObject({
      isolation: { requested: 'worktree', effective: 'worktree' },
    });
  });

  test('a template of the repository does not hand out the keys of the user', () => {
    const { carrel, repository } = makeSite({ ANTHROPIC_API_KEY: 'the key' });
    writeFiles(repository, {
      '.carrel/config.yaml': 'templates:\n  mine:\n    agent: claude\n    isolation: full\n',
    });
    carrel.ok(repository, 'up', 'a', '--template', 'mine');
    const script = 'echo "key: $ANTHROPIC_API_KEY"; command -v claude';
    expect(carrel.run(repository, 'exec', 'a', '--', 'sh', '-c', script).stdout).toBe('key: \n');
  });

  test('with --workspace it is the directory itself, in a sandbox', () => {
    const { carrel, repository } = makeSite({ ANTHROPIC_API_KEY: 'the key' });
    expect(carrel.ok(repository, 'up', 'a', '--template', 'claude', '--workspace', '.')).toBe(repository);
    carrel.ok(
      repository,
      'exec',
      'a',
      '--',
      'sh',
      '-ec',
      'claude >said.txt; git add said.txt; git commit -qm said',
    );
    expect(git(repository, 'show', 'carrel/a:said.txt')).toBe('claude with the key');
  });
});

test('where there is no sandbox, a template falls back with a warning, and is refused with --strict', () => {
  const { carrel, repository } = makeSite({ PATH: pathWithout('bwrap', 'podman', 'docker') });
  const workspace = carrel.json<Workspace>(repository, 'up', 'a', '--template', 'claude');
  expect(workspace).toMatchObject({ isolation: { requested: 'full', effective: 'worktree' } });
  expect(workspace.warnings).toEqual([
    expect.stringContaining('isolation full was requested, using worktree instead: bwrap was not found'),
  ]);
  expect(carrel.error(repository, 'up', 'b', '--template', 'claude', '--strict')).toMatchObject({
    code: 'ISOLATION_UNAVAILABLE',
  });
});
