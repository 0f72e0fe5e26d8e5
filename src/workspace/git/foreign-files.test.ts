import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  dumpObjects,
  type HostileDesk,
  hasSprung,
  makeHostileDesk,
  makePipe,
  operationsOn,
  plantLinkedRepository,
  plantRepository,
  SECRET,
} from '../../../test/helpers/hostile-files.js';
import { commitFiles, git, gitEnv, writeFiles } from '../../../test/helpers/repository.js';
import { tempDir } from '../../../test/helpers/temp.js';
import { testGit } from '../../../test/helpers/test-git.js';
import { waitFor } from '../../../test/helpers/wait-for.js';
import { isCarrelError } from '../../domain/error.js';
import { createGitBackend } from './backend.js';
import { markForeign } from './foreign-mark.js';

/** Plain git, as the user would call it; it may well fail. */
const plainGit = (cwd: string, ...args: string[]) => spawnSync('git', args, { cwd, env: gitEnv() });

/** There is nothing to land, or something that is not committed; all else has to work. */
function allowUncommitted(error: unknown): void {
  if (!isCarrelError(error, 'LAND_UNCOMMITTED', 'LAND_NOTHING')) throw error;
}

interface Plant {
  readonly name: string;
  readonly plant: (desk: HostileDesk) => void;
  /** Where plain git falls for it. */
  readonly control: (desk: HostileDesk) => void | Promise<void>;
}

const PLANTS: readonly Plant[] = [
  {
    name: 'a repository in the place of a submodule',
    plant: desk => plantRepository(desk, join(desk.path, 'sub')),
    control: desk => void plainGit(desk.path, 'status'),
  },
  {
    name: 'a submodule whose .git file leads to a directory in the workspace',
    plant: desk => plantLinkedRepository(desk, join(desk.path, 'sub'), join(desk.path, 'dir/elsewhere')),
    control: desk => void plainGit(desk.path, 'status'),
  },
  {
    name: 'a repository that is not tracked',
    plant: desk => plantRepository(desk, join(desk.path, 'nested')),
    control: desk => void plainGit(join(desk.path, 'nested'), 'status'),
  },
  {
    name: 'a repository that took the place of a tracked file',
    plant: desk => {
      rmSync(join(desk.path, 'a.txt'));
      plantRepository(desk, join(desk.path, 'a.txt'));
    },
    control: desk => void plainGit(join(desk.path, 'a.txt'), 'status'),
  },
  {
    name: "attributes that ask for a filter of the user's",
    plant: desk => {
      git(desk.repository, 'config', 'filter.mine.clean', desk.trap);
      git(desk.repository, 'config', 'filter.mine.smudge', desk.trap);
      git(desk.repository, 'config', 'merge.mine.driver', desk.trap);
      git(desk.repository, 'config', 'diff.mine.textconv', desk.trap);
      writeFiles(desk.path, {
        '.gitattributes': '* filter=mine merge=mine diff=mine\n',
        'a.txt': 'x\n',
        'new.txt': 'new\n',
      });
    },
    control: desk => void plainGit(desk.path, 'status'),
  },
  {
    name: 'a .gitmodules that names a program',
    plant: desk => {
      writeFiles(desk.path, {
        '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ext::${desk.trap}\n\tignore = none\n\tfetchRecurseSubmodules = true\n`,
      });
      mkdirSync(join(desk.path, 'sub'), { recursive: true });
      plantRepository(desk, join(desk.path, 'sub'));
    },
    control: desk => void plainGit(desk.path, 'status'),
  },
];

describe.each(PLANTS)('$name', ({ plant, control }) => {
  test('runs nothing on our account, whatever is asked', async () => {
    const desk = makeHostileDesk();
    plant(desk);
    for (const [name, operation] of Object.entries(operationsOn(desk))) {
      await operation()?.catch(allowUncommitted);
      expect([name, hasSprung(desk)]).toEqual([name, false]);
    }
    expect(existsSync(desk.path)).toBe(true);
    await control(desk);
    expect(hasSprung(desk)).toBe(true);
  });
});

/** Named pipes where git opens files by itself; opening one does not end. */
const PIPES: readonly Plant[] = [
  {
    name: 'HEAD of a repository in the place of a submodule',
    plant: desk => {
      plantRepository(desk, join(desk.path, 'sub'));
      makePipe(join(desk.path, 'sub/.git/HEAD'));
    },
    control: desk => expectOpened(desk, join(desk.path, 'sub/.git/HEAD')),
  },
  {
    name: 'HEAD of a repository that is not tracked',
    plant: desk => {
      plantRepository(desk, join(desk.path, 'nested'));
      makePipe(join(desk.path, 'nested/.git/HEAD'));
    },
    control: desk => expectOpened(desk, join(desk.path, 'nested/.git/HEAD')),
  },
  {
    name: 'HEAD of a repository in the place of a file',
    plant: desk => {
      rmSync(join(desk.path, 'a.txt'));
      plantRepository(desk, join(desk.path, 'a.txt'));
      makePipe(join(desk.path, 'a.txt/.git/HEAD'));
    },
    control: desk => expectOpened(desk, join(desk.path, 'a.txt/.git/HEAD')),
  },
  {
    name: '.gitignore',
    plant: desk => makePipe(join(desk.path, 'dir/.gitignore')),
    control: desk => expectOpened(desk, join(desk.path, 'dir/.gitignore')),
  },
  {
    name: '.gitattributes',
    plant: desk => {
      writeFiles(desk.path, { 'a.txt': 'x\n' });
      makePipe(join(desk.path, '.gitattributes'));
    },
    control: desk => expectOpened(desk, join(desk.path, '.gitattributes')),
  },
];

/** A pipe can be opened for writing, without waiting, exactly while somebody has it open or wants to have it open. */
async function expectOpened(desk: HostileDesk, pipe: string): Promise<void> {
  const child = spawn('git', ['status'], { cwd: desk.path, env: gitEnv(), stdio: 'ignore' });
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

describe.each(PIPES)('a named pipe as $name', ({ plant, control }) => {
  test('keeps nobody waiting', async () => {
    const desk = makeHostileDesk();
    plant(desk);
    for (const operation of Object.values(operationsOn(desk))) {
      await operation()?.catch(allowUncommitted);
    }
    await control(desk);
  });
});

test('what links lead to is in no object and in no output', async () => {
  const desk = makeHostileDesk();
  const secret = join(desk.outside, 'secret');
  for (const name of ['a.txt', '.gitignore', '.gitmodules']) rmSync(join(desk.path, name));
  symlinkSync(secret, join(desk.path, 'a.txt'));
  symlinkSync(secret, join(desk.path, '.gitignore'));
  symlinkSync(secret, join(desk.path, '.gitattributes'));
  symlinkSync(secret, join(desk.path, '.gitmodules'));
  symlinkSync(secret, join(desk.path, 'new.txt'));
  symlinkSync(desk.outside, join(desk.path, 'loop'));
  rmSync(join(desk.path, 'dir'), { recursive: true });
  symlinkSync(desk.outside, join(desk.path, 'dir'));
  symlinkSync('.', join(desk.path, 'self'));
  mkdirSync(join(desk.path, 'sub/.git'), { recursive: true });
  for (const name of ['HEAD', 'config', 'index', 'objects'])
    symlinkSync(secret, join(desk.path, 'sub/.git', name));
  const operations = operationsOn(desk);
  expect(await operations.inspect()).toMatchObject([
    { changes: { staged: 0, unstaged: 5, untracked: 5, conflicted: 0 } },
  ]);
  const told = [await operations.findRisks(), await operations.diff()];
  await operations.capture();
  expect(JSON.stringify(told)).toContain(JSON.stringify(`+${secret}`).slice(1, -1));
  expect(JSON.stringify(told)).not.toContain(SECRET);
  expect(dumpObjects(desk)).toContain(`blob ${secret.length}\n${secret}\n`);
  expect(dumpObjects(desk)).not.toContain(SECRET);
});

test('pipes, sockets and devices are left out and told', async () => {
  const desk = makeHostileDesk();
  makePipe(join(desk.path, 'b.txt'));
  makePipe(join(desk.path, 'new.pipe'));
  const captured = await operationsOn(desk).capture();
  expect(captured?.omitted.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
    'b.txt: a named pipe, socket or device',
    'new.pipe: a named pipe, socket or device',
  ]);
});

test('a branch that is checked out in a sandbox is not landed on', async () => {
  const desk = makeHostileDesk();
  const { landing } = createGitBackend({ git: testGit(), temporaryRoot: desk.temporaryRoot });
  const other = join(tempDir(), 'ws_0000000000000002');
  git(desk.repository, 'worktree', 'add', '--quiet', '-b', 'carrel/y', other);
  const own = { ...desk.record, id: 'ws_0000000000000002', name: 'y', path: other, branch: 'carrel/y' };
  commitFiles(other, { 'y.txt': 'y\n' });
  await markForeign(join(desk.repository, '.git/worktrees', desk.record.id));
  plantRepository(desk, join(desk.path, 'sub'));
  const { sandbox: _, ...ordinary } = own;
  const refused = landing?.prepare(ordinary, { strategy: 'merge', into: 'carrel/x' });
  await expect(refused).rejects.toMatchObject({
    code: 'LAND_CHECKOUT_DIRTY',
    details: { path: desk.path, files: ['(its files are those of a sandbox)'] },
  });
  expect(hasSprung(desk)).toBe(false);
});

test('commits of a sandbox land, and attributes in its files run nothing', async () => {
  const desk = makeHostileDesk();
  git(desk.repository, 'config', 'merge.mine.driver', desk.trap);
  commitFiles(desk.path, { 'a.txt': 'theirs\n', '.gitattributes': '* merge=mine\n' });
  commitFiles(desk.repository, { 'b.txt': 'ours\n', 'a.txt': 'a\nours\n' });
  const { landing } = desk.backend;
  await expect(landing?.prepare(desk.record, { strategy: 'merge' })).rejects.toMatchObject({
    code: 'LAND_CONFLICT',
  });
  expect(hasSprung(desk)).toBe(false);
  plainGit(desk.path, 'merge', '--no-edit', 'main');
  expect(hasSprung(desk)).toBe(true);
});
