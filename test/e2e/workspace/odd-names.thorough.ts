import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type App, openApp } from '../../../src/app.js';
import { isCarrelError } from '../../../src/domain/error/error.js';
import type { UpInput } from '../../../src/operations/creation/plan-up.js';
import { removeWorkspace } from '../../../src/operations/removal/down.js';
import { restoreSnapshot } from '../../../src/operations/snapshot/restore.js';
import { listSnapshots, snapshotWorkspace } from '../../../src/operations/snapshot/snapshot.js';
import { diffWorkspace } from '../../../src/operations/workspace/diff.js';
import { landWorkspace } from '../../../src/operations/workspace/land.js';
import { listWorkspaces } from '../../../src/operations/workspace/list.js';
import { showWorkspace } from '../../../src/operations/workspace/show.js';
import { up } from '../../../src/operations/workspace/up.js';
import { createCarrel } from '../../helpers/carrel.js';
import { fingerprint } from '../../helpers/fingerprint.js';
import { findLeftovers } from '../../helpers/leftovers.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';

// Any text for a name, a branch, a base, a template, a snapshot or a directory: it is taken for
// what it is or refused in words, and nothing outside of Carrel's own directories and the repository is touched.

// biome-ignore format: in groups of a kind.
const ODD = [
  '', ' ', 'a b', '.', '..', '../x', '../../x', './a', '/', '/etc', '/a', 'a/', 'a//b', 'a/../b', '~', '~/x',
  '-', '--', '-rf', '--help', '.lock', 'a.lock', 'a/b.lock', '.git', 'a/.git', '.git/config',
  'e\u0301', '\u212a', 'a\u200bb', '\u202ea', '\ud800', 'x'.repeat(300), `a/${'x'.repeat(300)}`, 'x/'.repeat(60),
  'a\0b', '\n', 'a\nb', '\r', '\t', 'a\u001b[2Jb', '\u007f', '*', '[a]', 'a:b', 'a\\b', '$(id)', '|id',
  '@', '@{-1}', 'HEAD', 'FETCH_HEAD', 'refs/heads/x', 'refs/heads/main', '^main', 'main^{tree}', ':/first',
  'main..main', 'main~0', 'carrel', 'ws_', 'ws_d1vqqkhj2j5kdpmr', 'snap_', '__proto__', 'constructor',
];

/** For what takes longer. */
const HALF = ODD.filter((_, index) => index % 2 === 0);
const SOME = ODD.filter((_, index) => index % 3 === 0);

/** Any text. A command line can't hold a NUL, but a caller of the library can. */
const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'ab./-_@{}~^: \\\n*'), maxLength: 12 }),
);

const EVERYTHING = { discardChanges: true, discardCommits: true, stopProcesses: true, breakLease: true };

interface Place {
  readonly root: string;
  readonly repository: string;
  readonly app: App;
}

/** A directory with something to lose beside the repository, and all that Carrel may write to inside of it. */
async function makePlace(): Promise<Place> {
  const root = tempDir();
  const repository = makeRepository({ 'README.md': 'hello\n' }, join(root, 'home/work/repo'));
  writeFiles(root, { 'x/precious.txt': 'precious\n', 'home/work/x/precious.txt': 'precious\n' });
  const carrel = createCarrel(root, { TMPDIR: join(root, 'tmp') });
  mkdirSync(join(root, 'tmp'));
  const app = await openApp({ environment: carrel.env, cwd: repository });
  onTestFinished(() => app.close());
  return { root, repository, app };
}

/** Everything below the place but for what Carrel may write to. */
function listOutside({ root, repository }: Place): string[] {
  const own = ['state', 'cache', relative(root, join(repository, '.git'))];
  return (readdirSync(root, { recursive: true }) as string[])
    .filter(path => !own.some(directory => path === directory || path.startsWith(`${directory}/`)))
    .sort();
}

/** Runs it and swallows a refusal in words; anything else is a crash. */
async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action();
  } catch (error) {
    if (isCarrelError(error) && error.code !== 'INTERNAL' && error.code !== 'GIT_FAILED') return undefined;
    throw error;
  }
}

/** Makes a workspace, and takes it away again when that worked. */
async function tryUp({ app, repository, root }: Place, wishes: Partial<UpInput>): Promise<void> {
  const workspace = await attempt(() => up(app, { repository, ...wishes }));
  if (!workspace) return;
  if (workspace.backend !== 'direct')
    expect(workspace.path.startsWith(join(root, 'cache/worktrees/repo/'))).toBe(true);
  await removeWorkspace(app, { repository, name: workspace.id, accepted: EVERYTHING });
}

/** The texts above, each once, and some random ones. */
async function check(
  place: Place,
  use: (text: string) => Promise<unknown>,
  texts: readonly string[] = ODD,
): Promise<void> {
  const before = { outside: listOutside(place), repository: fingerprint(place.repository) };
  const property = fc.asyncProperty(oddText, async text => void (await use(text)));
  await fc.assert(property, { examples: texts.map(text => [text]), numRuns: texts.length + 5 });
  expect({ outside: listOutside(place), repository: fingerprint(place.repository) }).toEqual(before);
}

describe('odd text', () => {
  test('as a name', async () => {
    const place = await makePlace();
    await check(place, name => tryUp(place, { name }));
  });

  test('as a branch', async () => {
    const place = await makePlace();
    await check(place, branch => tryUp(place, { name: 'a', branch }), HALF);
  });

  test('as a base', async () => {
    const place = await makePlace();
    await check(place, base => tryUp(place, { name: 'a', base }));
  });

  test('as a template', async () => {
    const place = await makePlace();
    await check(place, template => tryUp(place, { name: 'a', template }));
  });

  test('as a directory to make a workspace from', async () => {
    const place = await makePlace();
    const kind = fc.constantFrom('direct', 'auto', 'git', 'copy');
    const before = listOutside(place);
    await fc.assert(
      fc.asyncProperty(oddText, kind, async (text, kind) => {
        const directory = resolve(place.repository, text);
        // Else all of / would be copied.
        fc.pre(!existsSync(directory));
        await tryUp(place, { name: 'a', form: { kind, directory } });
      }),
      { numRuns: 120 },
    );
    expect(listOutside(place)).toEqual(before);
  });

  test('as the directory of the repository', async () => {
    const place = await makePlace();
    await check(place, async text => {
      const repository = resolve(place.repository, text);
      await attempt(() => listWorkspaces(place.app, { repository }));
      await attempt(() => listSnapshots(place.app, { repository }));
    });
  });

  test('as the name of a workspace that is meant', async () => {
    const place = await makePlace();
    const { app, repository } = place;
    await up(app, { repository, name: 'kept' });
    await check(place, async name => {
      await attempt(() => showWorkspace(app, { repository, name }));
      await attempt(() => snapshotWorkspace(app, { repository, name }));
      await attempt(() => diffWorkspace(app, { repository, name, format: 'patch' }, () => {}));
      await attempt(() => removeWorkspace(app, { repository, name, accepted: EVERYTHING }));
    });
    expect(await listWorkspaces(app, { repository })).toMatchObject([{ name: 'kept' }]);
  });

  test('as a snapshot, and as the name to restore it by', async () => {
    const place = await makePlace();
    const { app, repository } = place;
    await up(app, { repository, name: 'a' });
    await removeWorkspace(app, { repository, name: 'a', accepted: {} });
    await check(
      place,
      async text => {
        const taken = await listSnapshots(app, { repository, name: text });
        const snapshot = taken.length === 0 ? text : `${text} `;
        expect(await attempt(() => restoreSnapshot(app, { repository, snapshot }))).toBeUndefined();
        const restored = await attempt(() => restoreSnapshot(app, { repository, snapshot: 'a', as: text }));
        if (restored) await removeWorkspace(app, { repository, name: restored.id, accepted: EVERYTHING });
      },
      SOME,
    );
  });

  test('as a branch to land on', async () => {
    const place = await makePlace();
    const { app, repository } = place;
    const { path } = await up(app, { repository, name: 'a' });
    git(path, 'commit', '--quiet', '--allow-empty', '-m', 'something');
    git(repository, 'branch', 'other');
    await check(
      place,
      async into => {
        fc.pre(!['main', 'refs/heads/main'].includes(into));
        expect(await attempt(() => landWorkspace(app, { repository, name: 'a', into }))).toBeUndefined();
      },
      SOME,
    );
  });
});

describe('the command itself', () => {
  const odd = ['../x', 'e\u0301', 'x'.repeat(300), 'a\nb', 'a\u001b[31mb'];

  test.each(odd)('refuses %j as a name in one clean sentence', name => {
    const repository = makeRepository();
    const outcome = createCarrel().run(repository, 'up', '--', name);
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
    expect(outcome.stderr).toMatch(/^carrel: "[^\u0000-\u001f]+\nhint: [^\u0000-\u001f]+\n$/);
  });

  test('takes a name that begins with a dash for an option, and after -- for a name that is none', () => {
    const repository = makeRepository();
    const carrel = createCarrel();
    expect(carrel.error(repository, 'up', '-rf')).toMatchObject({ status: 2, code: 'BAD_USAGE' });
    const outcome = carrel.run(repository, 'up', '--json', '--', '-rf');
    expect(JSON.parse(outcome.stdout).error).toMatchObject({ code: 'INVALID_NAME' });
  });

  test('leaves nothing behind after odd branches, bases and directories', () => {
    const place = { repository: makeRepository(), carrel: createCarrel(tempDir()), temporary: tempDir() };
    const { repository, carrel } = place;
    const calls = [
      ['up', 'a', '--branch', '-rf'],
      ['up', 'a', '--branch', 'x'.repeat(300)],
      ['up', 'a', '--base', '--output=/tmp/x'],
      ['up', 'a', '--template', '__proto__'],
      ['up', 'a', '-R', ''],
      ['up', 'a', '--copy', 'nowhere\n'],
      ['restore', '../x'],
      ['down', '*', '--discard-changes', '--discard-commits'],
    ];
    const codes = calls.map(args => carrel.error(repository, ...args).code);
    expect(codes).toMatchInlineSnapshot(`
      [
        "INVALID_BRANCH",
        "INVALID_BRANCH",
        "UNKNOWN_BASE",
        "UNKNOWN_TEMPLATE",
        "INVALID_INPUT",
        "NO_SUCH_DIRECTORY",
        "SNAPSHOT_NOT_FOUND",
        "WORKSPACE_NOT_FOUND",
      ]
    `);
    expect(findLeftovers(place)).toEqual([]);
  });
});
