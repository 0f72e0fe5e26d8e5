import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { createCarrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { commitFiles, git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { pathWithout } from '../../helpers/sandbox/sandboxed.js';
import { tempDir } from '../../helpers/temp.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// What a repository's files, or an agent's work, must not do: take the sandbox away, run on the host, get at secrets.

beforeEach(requireBubblewrap);

const SECRET = { '.gitignore': '.env\n', '.env': 'TOKEN=1\n' };

function makeScene(files: { user?: string; repository?: Record<string, string>; path?: string }) {
  const path = files.path ?? pathWithout('podman', 'docker');
  const carrel = createCarrel(tempDir(), { PATH: path });
  const repository = makeRepository();
  commitFiles(repository, { ...files.repository });
  if (files.user !== undefined) writeFiles(carrel.home, { 'config/carrel/config.yaml': files.user });
  const up = (...args: string[]) => carrel.json<Workspace>(repository, 'up', ...args);
  return { carrel, repository, up };
}

const FULL = 'isolation: {default: full}\n';

test.each([
  ['a Dockerfile', { '.carrel/Dockerfile': 'FROM scratch\n' }],
  [
    'an image',
    { '.carrel/config.yaml': 'workspace: {container: {image: nowhere.example/x, workingDir: /app}}\n' },
  ],
])('%s of the repository does not take the user’s sandbox away', (_, repository) => {
  const scene = makeScene({ user: FULL, repository });
  const made = scene.up('a');
  expect(made).toMatchObject({ runtime: 'bubblewrap', isolation: { requested: 'full', effective: 'full' } });
  expect(made.warnings.join()).toMatch(/the image .* is not used; commands run in bubblewrap/);
  expect(scene.carrel.ok(scene.repository, 'exec', 'a', '--', 'printenv', 'HOME')).toBe('/home/agent');
  expect(scene.carrel.run(scene.repository, 'doctor').stdout).toMatch(
    /^! isolation full +the image .* is not used; commands run in bubblewrap/m,
  );
});

/** An engine that answers every question and starts nothing. */
const FAILING_PODMAN = `#!/bin/sh
case "$1" in
  version) echo '{"Client":{"Version":"4.3.1"},"Server":{"Version":"4.3.1"}}' ;;
  *) echo "Error: nothing can be started" >&2; exit 125 ;;
esac
`;

test('an engine that fails leads to bubblewrap, and without that to a refusal', () => {
  const bin = tempDir();
  writeFiles(bin, { podman: FAILING_PODMAN });
  chmodSync(join(bin, 'podman'), 0o755);
  const user = `${FULL}sandbox: {runtime: podman}\n`;
  const scene = makeScene({ user, path: `${bin}:${pathWithout('podman', 'docker')}` });
  expect(scene.up('a')).toMatchObject({ runtime: 'bubblewrap', isolation: { effective: 'full' } });
  const without = { PATH: `${bin}:${pathWithout('podman', 'docker', 'bwrap')}` };
  const refused = scene.carrel.runWith(without, scene.repository, 'up', 'b', '--json');
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'ISOLATION_UNAVAILABLE' } });
  expect(scene.carrel.json<Workspace[]>(scene.repository, 'ls')).toHaveLength(1);
});

const SETUP = {
  '.carrel/config.yaml': 'workspace: {setup: ["sh ./setup.sh"]}\n',
  'setup.sh': 'echo good > out.txt\n',
};

test('an approval covers the script that a command names, and unlanded work is set up in a sandbox or asked about', () => {
  const { carrel, repository, up } = makeScene({ repository: SETUP });
  carrel.ok(repository, 'trust', '--yes');
  const agent = up('a').path;
  expect(readFileSync(join(agent, 'out.txt'), 'utf8')).toBe('good\n');
  writeFiles(agent, { 'other.txt': 'x\n' });
  git(agent, 'add', 'other.txt');
  git(agent, 'commit', '--quiet', '-m', 'another file');
  // The same script, and yet it would run on this machine what an agent may have written.
  expect(carrel.error(repository, 'up', 'b', '--base', 'carrel/a')).toMatchObject({
    status: 3,
    code: 'BASE_NOT_LANDED',
  });
  expect(up('b', '--base', 'carrel/a', '--trust').name).toBe('b');
  writeFiles(agent, { 'setup.sh': 'echo evil > out.txt; touch "$HOME/evil"\n' });
  git(agent, 'commit', '--quiet', '-am', 'another script');
  expect(carrel.error(repository, 'up', 'c', '--base', 'carrel/a')).toMatchObject({
    code: 'SETUP_NOT_TRUSTED',
  });
  const inside = up('c', '--base', 'carrel/a', '--isolation', 'full');
  expect(readFileSync(join(inside.path, 'out.txt'), 'utf8')).toBe('evil\n');
  expect(existsSync(join(carrel.home, 'evil'))).toBe(false);
  // Landed, it is the user's; the changed script needs another approval nevertheless.
  git(repository, 'merge', '--quiet', 'carrel/a');
  expect(carrel.error(repository, 'up', 'd', '--base', 'carrel/a')).toMatchObject({
    code: 'SETUP_NOT_TRUSTED',
  });
  carrel.ok(repository, 'trust', '--yes');
  expect(up('d', '--base', 'carrel/a').name).toBe('d');
});

thoroughTest(
  'an approval covers the files that a script runs in turn, but not those that it only reads',
  () => {
    const { carrel, repository, up } = makeScene({
      repository: {
        '.carrel/config.yaml': 'workspace: {setup: ["sh tools/setup.sh", "npm run go --silent"]}\n',
        'tools/setup.sh': 'here=$(dirname "$0")\n. "$here/env"\ncat README.md notes.txt >>out.txt\n',
        'tools/env': 'echo env >>out.txt\n',
        'package.json':
          '{"bin": "bin/x.cjs", "scripts": {"go": "node lib/go.mjs", "test": "node lib/test.mjs"}}\n',
        'lib/go.mjs': "import './deep.mjs';\n",
        'lib/deep.mjs': 'console.log(1);\n',
        ...{ 'lib/test.mjs': '', 'bin/x.cjs': '', 'notes.txt': '' },
      },
    });
    carrel.ok(repository, 'trust', '--yes');
    expect(readFileSync(join(up('a').path, 'out.txt'), 'utf8')).toBe('env\nhello\n');
    commitFiles(repository, { 'notes.txt': 'x', 'bin/x.cjs': 'x', 'lib/test.mjs': 'x', 'README.md': 'x' });
    expect(carrel.json(repository, 'trust', '--list')).toMatchObject({ trusted: true });
    for (const changed of ['tools/env', 'lib/deep.mjs']) {
      commitFiles(repository, { [changed]: 'touch "$HOME/evil"\n' });
      expect(carrel.error(repository, 'up', 'b')).toMatchObject({ code: 'SETUP_NOT_TRUSTED' });
      git(repository, 'reset', '--quiet', '--hard', 'HEAD~1');
    }
  },
);

test('what the user’s own file runs is not run on unlanded work either', () => {
  const { carrel, repository, up } = makeScene({ user: 'workspace: {setup: ["echo x"]}\n' });
  const agent = up('a').path;
  git(agent, 'commit', '--quiet', '--allow-empty', '-m', 'more');
  const refuse = () =>
    expect(carrel.error(repository, 'up', 'b', '--base', 'carrel/a')).toMatchObject({
      code: 'BASE_NOT_LANDED',
    });
  refuse();
  // An agent can make any of these.
  git(agent, 'tag', 'v9');
  git(agent, 'branch', 'looks-like-the-users');
  git(agent, 'update-ref', 'refs/remotes/origin/topic', 'HEAD');
  refuse();
  expect(up('b', '--base', 'carrel/a', '--no-setup').name).toBe('b');
  // On another branch that workspaces start from it has landed, although it is not in the checkout.
  git(repository, 'branch', 'next');
  up('c', '--base', 'next');
  git(repository, 'branch', '--force', 'next', 'carrel/a');
  expect(up('d', '--base', 'carrel/a').name).toBe('d');
});

test('files that the repository names come into a sandbox after an approval only', () => {
  const { carrel, repository, up } = makeScene({
    user: FULL,
    repository: { '.gitignore': '.env*\nnotes\n', '.worktreeinclude': '.env\n' },
  });
  writeFiles(repository, { '.env': 'TOKEN=1\n', notes: 'x\n' });
  chmodSync(join(repository, '.env'), 0o644);
  const left = up('a');
  expect(existsSync(join(left.path, '.env'))).toBe(false);
  expect(left.warnings.join()).toMatch(/not copied into the sandbox.*: \.env; approve it with: carrel trust/);
  expect(existsSync(join(up('b', '--template', 'claude').path, '.env'))).toBe(false);
  expect(carrel.json(repository, 'trust', '--yes')).toMatchObject({
    commands: ['bring into sandboxes: .env'],
    trusted: true,
  });
  const came = up('c');
  expect(came.warnings).toContain('copied into the sandbox: .env');
  expect(statSync(came.path).mode & 0o777).toBe(0o700);
  expect(statSync(join(came.path, '.env')).mode & 0o777).toBe(0o600);
  commitFiles(repository, { '.carrel/config.yaml': 'workspace: {include: [notes]}\n' });
  expect(existsSync(join(up('d').path, 'notes'))).toBe(false);
});

test('what the user’s own file names comes into a sandbox, and is listed', () => {
  const { repository, up } = makeScene({
    user: `${FULL}workspace: {include: [".env"]}\n`,
    repository: { '.gitignore': SECRET['.gitignore'] },
  });
  writeFiles(repository, { '.env': SECRET['.env'] });
  expect(up('a').warnings).toContain('copied into the sandbox: .env');
});

test('a plain copy brings into a sandbox what the user chose, and leaves out what git ignores or is an .env file', () => {
  const { repository, up } = makeScene({
    user: `${FULL}workspace: {include: ["keys/chosen"]}\n`,
    repository: { '.gitignore': '.env\nkeys/\n', '.worktreeinclude': '.env\n', 'keep.txt': 'x\n' },
  });
  const files = { '.env': 'TOKEN=1\n', 'keys/secret': 'x', 'keys/chosen': 'x', 'new.txt': 'x', 'src/a': 'x' };
  writeFiles(repository, files);
  const copy = up('a', '--copy', repository);
  const has = (path: string) => existsSync(join(copy.path, path));
  expect(['keep.txt', 'new.txt', 'src/a', 'keys/chosen'].filter(has)).toHaveLength(4);
  expect(['.env', 'keys/secret'].filter(has)).toEqual([]);
  expect(copy.warnings).toContain('copied into the sandbox: keys/chosen');
  expect(copy.warnings.join()).toMatch(
    /not copied into the sandbox without your approval: \.env, keys\/secret; to copy it, add it to/,
  );
  const plain = tempDir();
  writeFiles(plain, { ...files, 'sub/.env.local': 'x', '.env.example': 'x' });
  const other = up('b', '--copy', plain);
  expect(readdirSync(other.path, { recursive: true }).toSorted()).toEqual(
    ['.env.example', 'keys', 'keys/chosen', 'keys/secret', 'new.txt', 'src', 'src/a', 'sub'].toSorted(),
  );
  expect(other.warnings.join()).toContain('.env, sub/.env.local; to copy it, add it to');
  // Without a sandbox a copy is a copy.
  expect(existsSync(join(up('c', '--copy', plain, '--isolation', 'worktree').path, '.env'))).toBe(true);
});

test('commands in a sandbox are killed first when memory runs out', () => {
  const { carrel, repository, up } = makeScene({ user: FULL });
  up('a');
  const score = carrel.ok(repository, 'exec', 'a', '--', 'cat', '/proc/self/oom_score_adj');
  expect(Number(score)).toBeGreaterThanOrEqual(500);
});
