import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isThorough } from '../../../../test/helpers/flavours.js';
import {
  captureRequest,
  expectSound,
  listFiles,
  loseWorkTree,
  observe,
  placeOf,
  restoreElsewhere,
} from '../../../../test/helpers/git/round-trip.js';
import { testGit } from '../../../../test/helpers/git/test-git.js';
import { git, makeRepository } from '../../../../test/helpers/repository.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { captureWorkTree } from './capture.js';

/** Few names, so that files, directories and links collide. */
const name = fc.constantFrom('a', 'b', '.git2', '%2egit', 'ö', 'x y', 'ignored', '.env', 'new\nline', '-f');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(names => names.join('/'));
const content = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('', 'a\r\nb\n', 'a\nb\n', '\0binary'));
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), path, content: path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('directory' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('mode' as const),
      path,
      mode: fc.constantFrom(0o600, 0o755, 0o444, 0o700),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stage' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('commit' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unstage' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hide' as const),
      bit: fc.constantFrom('assume-unchanged', 'skip-worktree'),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Skips what is impossible in the current state. */
function take(work: string, action: Step): void {
  try {
    switch (action.kind) {
      case 'write':
        mkdirSync(join(work, action.path, '..'), { recursive: true });
        writeFileSync(join(work, action.path), action.content, { flag: 'w' });
        return;
      case 'remove':
        rmSync(join(work, action.path), { recursive: true });
        return;
      case 'link':
        symlinkSync(action.content, join(work, action.path));
        return;
      case 'directory':
        mkdirSync(join(work, action.path), { recursive: true });
        return;
      case 'mode':
        if (!lstatSync(join(work, action.path)).isSymbolicLink())
          // An ordinary user could not look into a directory without these, and neither could this test.
          chmodSync(
            join(work, action.path),
            lstatSync(join(work, action.path)).isDirectory() ? action.mode | 0o700 : action.mode,
          );
        return;
      case 'stage':
        git(work, 'add', '--all');
        return;
      case 'unstage':
        git(work, 'reset', '--quiet');
        return;
      case 'commit':
        git(work, 'commit', '--quiet', '--allow-empty', '-m', 'step');
        return;
      case 'hide':
        for (const file of git(work, 'ls-files', '-z').split('\0').filter(Boolean).slice(0, 1)) {
          git(work, 'update-index', `--${action.bit}`, '--', file);
        }
    }
  } catch {}
}

test('every change in a work tree is restored', async () => {
  const repository = makeRepository({
    a: 'a\n',
    'b/a': 'ba\n',
    'b/b': 'bb\n',
    'x y': 'x\n',
    '.gitignore': 'ignored\n.env\n',
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async steps => {
      const work = join(tempDir(), 'work');
      const ref = `refs/carrel/snapshots/run-${++run}`;
      git(repository, 'worktree', 'add', '--quiet', '--detach', work, 'main');
      for (const action of steps) take(work, action);
      const before = observe(work);
      const { commit } = await captureWorkTree(testGit(), placeOf(work), captureRequest({ ref }));
      expect(listFiles(work)).toEqual(before.files);
      git(repository, 'update-ref', 'refs/carrel/snapshots/test', commit);
      loseWorkTree(repository, work);
      const { restored } = await restoreElsewhere(repository, commit);
      expect(observe(restored)).toEqual(before);
    }),
    { numRuns: isThorough ? 100 : 3 },
  );
  expectSound(repository);
}, 600_000);
