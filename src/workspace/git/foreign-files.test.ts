import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { oneInSix } from '../../../test/helpers/flavours.js';
import { testGit } from '../../../test/helpers/git/test-git.js';
import { commitFiles, git, gitEnv, writeFiles } from '../../../test/helpers/repository.js';
import {
  dumpObjects,
  type HostileFixture,
  hasSprung,
  makeHostileFixture,
  makePipe,
  operationsOn,
  plantLinkedRepository,
  plantRepository,
  SECRET,
} from '../../../test/helpers/sandbox/hostile-files.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { isCarrelError } from '../../domain/error/error.js';
import { markForeign } from '../location/foreign-mark.js';
import { createGitBackend } from './backend.js';

/** Plain git, as the user would call it; it may fail. */
const plainGit = (cwd: string, ...args: string[]) => spawnSync('git', args, { cwd, env: gitEnv() });

/** Expected: nothing to land, or uncommitted changes. Everything else must work. */
function allowUncommitted(error: unknown): void {
  if (!isCarrelError(error, 'LAND_UNCOMMITTED', 'LAND_NOTHING')) throw error;
}

interface Plant {
  readonly name: string;
  readonly plant: (fixture: HostileFixture) => void;
  /** Where plain git runs the trap. */
  readonly control: (fixture: HostileFixture) => void | Promise<void>;
}

const PLANTS: readonly Plant[] = [
  {
    name: 'a repository in the place of a submodule',
    plant: fixture => plantRepository(fixture, join(fixture.path, 'sub')),
    control: fixture => void plainGit(fixture.path, 'status'),
  },
  {
    name: 'a submodule whose .git file leads to a directory in the workspace',
    plant: fixture =>
      plantLinkedRepository(fixture, join(fixture.path, 'sub'), join(fixture.path, 'dir/elsewhere')),
    control: fixture => void plainGit(fixture.path, 'status'),
  },
  {
    name: 'a repository that is not tracked',
    plant: fixture => plantRepository(fixture, join(fixture.path, 'nested')),
    control: fixture => void plainGit(join(fixture.path, 'nested'), 'status'),
  },
  {
    name: 'a repository that took the place of a tracked file',
    plant: fixture => {
      rmSync(join(fixture.path, 'a.txt'));
      plantRepository(fixture, join(fixture.path, 'a.txt'));
    },
    control: fixture => void plainGit(join(fixture.path, 'a.txt'), 'status'),
  },
  {
    name: "attributes that ask for a filter of the user's",
    plant: fixture => {
      git(fixture.repository, 'config', 'filter.mine.clean', fixture.trap);
      git(fixture.repository, 'config', 'filter.mine.smudge', fixture.trap);
      git(fixture.repository, 'config', 'merge.mine.driver', fixture.trap);
      git(fixture.repository, 'config', 'diff.mine.textconv', fixture.trap);
      writeFiles(fixture.path, {
        '.gitattributes': '* filter=mine merge=mine diff=mine\n',
        'a.txt': 'x\n',
        'new.txt': 'new\n',
      });
    },
    control: fixture => void plainGit(fixture.path, 'status'),
  },
  {
    name: 'a .gitmodules that names a program',
    plant: fixture => {
      writeFiles(fixture.path, {
        '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ext::${fixture.trap}\n\tignore = none\n\tfetchRecurseSubmodules = true\n`,
      });
      mkdirSync(join(fixture.path, 'sub'), { recursive: true });
      plantRepository(fixture, join(fixture.path, 'sub'));
    },
    control: fixture => void plainGit(fixture.path, 'status'),
  },
];

describe.each(oneInSix(PLANTS))('$name', ({ plant, control }) => {
  test('no Carrel call runs a program', async () => {
    const fixture = makeHostileFixture();
    plant(fixture);
    for (const [name, operation] of Object.entries(operationsOn(fixture))) {
      await operation()?.catch(allowUncommitted);
      expect([name, hasSprung(fixture)]).toEqual([name, false]);
    }
    expect(existsSync(fixture.path)).toBe(true);
    await control(fixture);
    expect(hasSprung(fixture)).toBe(true);
  });
});

/** Named pipes where git opens files automatically; opening one blocks. */
const PIPES: readonly Plant[] = [
  {
    name: 'HEAD of a repository in the place of a submodule',
    plant: fixture => {
      plantRepository(fixture, join(fixture.path, 'sub'));
      makePipe(join(fixture.path, 'sub/.git/HEAD'));
    },
    control: fixture => expectOpened(fixture, join(fixture.path, 'sub/.git/HEAD')),
  },
  {
    name: 'HEAD of a repository that is not tracked',
    plant: fixture => {
      plantRepository(fixture, join(fixture.path, 'nested'));
      makePipe(join(fixture.path, 'nested/.git/HEAD'));
    },
    control: fixture => expectOpened(fixture, join(fixture.path, 'nested/.git/HEAD')),
  },
  {
    name: 'HEAD of a repository in the place of a file',
    plant: fixture => {
      rmSync(join(fixture.path, 'a.txt'));
      plantRepository(fixture, join(fixture.path, 'a.txt'));
      makePipe(join(fixture.path, 'a.txt/.git/HEAD'));
    },
    control: fixture => expectOpened(fixture, join(fixture.path, 'a.txt/.git/HEAD')),
  },
  {
    name: '.gitignore',
    plant: fixture => makePipe(join(fixture.path, 'dir/.gitignore')),
    control: fixture => expectOpened(fixture, join(fixture.path, 'dir/.gitignore')),
  },
  {
    name: '.gitattributes',
    plant: fixture => {
      writeFiles(fixture.path, { 'a.txt': 'x\n' });
      makePipe(join(fixture.path, '.gitattributes'));
    },
    control: fixture => expectOpened(fixture, join(fixture.path, '.gitattributes')),
  },
];

/** A pipe can be opened for writing without blocking only while another process has it open or is opening it. */
async function expectOpened(fixture: HostileFixture, pipe: string): Promise<void> {
  const child = spawn('git', ['status'], { cwd: fixture.path, env: gitEnv(), stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    const isOpened = () => {
      try {
        closeSync(openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK));
        return true;
      } catch {
        return undefined;
      }
    };
    await waitFor('git to open the pipe', isOpened);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

describe.each(oneInSix(PIPES))('a named pipe as $name', ({ plant, control }) => {
  test('does not block', async () => {
    const fixture = makeHostileFixture();
    plant(fixture);
    for (const operation of Object.values(operationsOn(fixture))) {
      await operation()?.catch(allowUncommitted);
    }
    await control(fixture);
  });
});

test('link targets are in no object and in no output', async () => {
  const fixture = makeHostileFixture();
  const secret = join(fixture.outside, 'secret');
  for (const name of ['a.txt', '.gitignore', '.gitmodules']) rmSync(join(fixture.path, name));
  symlinkSync(secret, join(fixture.path, 'a.txt'));
  symlinkSync(secret, join(fixture.path, '.gitignore'));
  symlinkSync(secret, join(fixture.path, '.gitattributes'));
  symlinkSync(secret, join(fixture.path, '.gitmodules'));
  symlinkSync(secret, join(fixture.path, 'new.txt'));
  symlinkSync(fixture.outside, join(fixture.path, 'loop'));
  rmSync(join(fixture.path, 'dir'), { recursive: true });
  symlinkSync(fixture.outside, join(fixture.path, 'dir'));
  symlinkSync('.', join(fixture.path, 'self'));
  mkdirSync(join(fixture.path, 'sub/.git'), { recursive: true });
  for (const name of ['HEAD', 'config', 'index', 'objects'])
    symlinkSync(secret, join(fixture.path, 'sub/.git', name));
  const operations = operationsOn(fixture);
  expect(await operations.inspect()).toMatchObject([
    { changes: { staged: 0, unstaged: 5, untracked: 5, conflicted: 0 } },
  ]);
  const told = [await operations.findRisks(), await operations.diff()];
  await operations.capture();
  expect(JSON.stringify(told)).toContain(JSON.stringify(`+${secret}`).slice(1, -1));
  expect(JSON.stringify(told)).not.toContain(SECRET);
  expect(dumpObjects(fixture)).toContain(`blob ${secret.length}\n${secret}\n`);
  expect(dumpObjects(fixture)).not.toContain(SECRET);
});

test('pipes, sockets and devices are left out and reported', async () => {
  const fixture = makeHostileFixture();
  makePipe(join(fixture.path, 'b.txt'));
  makePipe(join(fixture.path, 'new.pipe'));
  const captured = await operationsOn(fixture).capture();
  expect(captured?.omitted.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
    'b.txt: a named pipe, socket or device',
    'new.pipe: a named pipe, socket or device',
  ]);
});

test('a branch that is checked out in a sandbox is not landed on', async () => {
  const fixture = makeHostileFixture();
  const { landing } = createGitBackend({
    git: testGit(),
    temporaryRoot: fixture.temporaryRoot,
    keptDir: tempDir(),
  });
  const other = join(tempDir(), 'ws_0000000000000002');
  git(fixture.repository, 'worktree', 'add', '--quiet', '-b', 'carrel/y', other);
  const own = { ...fixture.record, id: 'ws_0000000000000002', name: 'y', path: other, branch: 'carrel/y' };
  commitFiles(other, { 'y.txt': 'y\n' });
  await markForeign(join(fixture.repository, '.git/worktrees', fixture.record.id));
  plantRepository(fixture, join(fixture.path, 'sub'));
  const { sandbox: _, ...ordinary } = own;
  const refused = landing?.prepare(ordinary, { strategy: 'merge', into: 'carrel/x' });
  await expect(refused).rejects.toMatchObject({
    code: 'LAND_CHECKOUT_DIRTY',
    details: { path: fixture.path, files: ['(it is a sandboxed workspace)'] },
  });
  expect(hasSprung(fixture)).toBe(false);
});

test('commits of a sandbox land, and attributes in its files run nothing', async () => {
  const fixture = makeHostileFixture();
  git(fixture.repository, 'config', 'merge.mine.driver', fixture.trap);
  commitFiles(fixture.path, { 'a.txt': 'theirs\n', '.gitattributes': '* merge=mine\n' });
  commitFiles(fixture.repository, { 'b.txt': 'ours\n', 'a.txt': 'a\nours\n' });
  const { landing } = fixture.backend;
  await expect(landing?.prepare(fixture.record, { strategy: 'merge' })).rejects.toMatchObject({
    code: 'LAND_CONFLICT',
  });
  expect(hasSprung(fixture)).toBe(false);
  plainGit(fixture.path, 'merge', '--no-edit', 'main');
  expect(hasSprung(fixture)).toBe(true);
});
