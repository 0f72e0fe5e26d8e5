import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { type Program, perl, readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { STORY_MS } from './story-limit.js';

/** Work made to break inspection: each inspection finishes, the others are still reported, and it can always be discarded. */
export function testBombs(flavour: Flavour): void {
  testStories(
    flavour,
    'work that hurts to look at',
    tell => {
      for (const [what, program] of Object.entries(
        flavour.runtime === 'podman' ? bombsInside : { ...bombsOutside, ...bombsInside },
      )) {
        tell(`${what} holds nothing up and spoils no other row`, async fixture => {
          await fixture.carrel('up', 'b', '--isolation', 'full', '--strict');
          const planted = await fixture.inside(program);
          expect(readVerdict(planted.stdout), planted.stderr).toBe('held');
          await expectLooks(fixture);
          await fixture.renew();
          await fixture.carrel('down', 'b');
        });
      }
    },
    STORY_MS,
  );
}

/** In the files, which the host reads without the sandbox. */
const bombsOutside: Readonly<Record<string, Program>> = {
  'a sparse file of a terabyte': shell('truncate -s 1T sparse README.md && held planted'),
  'a directory of 1,500 levels': perl(`for (1 .. 1500) { mkdir 'd' or held($!); chdir 'd' } held('planted')`),
  'a file and a directory that are closed to their owner': shell(`
    mkdir closed; echo x >closed/file; echo x >secret; chmod 000 closed/file closed secret; held planted`),
  'a commit without a parent': shell(`
    git reset -q --soft "$(git commit-tree -m x 'HEAD^{tree}')" && held planted`),
};

/** In the git directory, which is asked from inside. */
const bombsInside: Readonly<Record<string, Program>> = {
  'a pipe as HEAD of its git directory': shell(`
    rm /run/carrel/git/HEAD && mkfifo /run/carrel/git/HEAD && held planted`),
  'a pipe as its branch': shell(`
    rm -rf /run/carrel/git/refs/heads; mkdir -p /run/carrel/git/refs/heads/carrel
    mkfifo /run/carrel/git/refs/heads/carrel/a && held planted`),
  'a hook that floods the way back': shell(`
    mkdir -p /run/carrel/git/hooks; printf '#!/bin/sh\\nyes >&2 &\\nsleep 0.5; kill $!; exit 1\\n' >/run/carrel/git/hooks/pre-push
    chmod +x /run/carrel/git/hooks/pre-push; echo x >new; git add new; git commit -qm new; held planted`),
  'ten thousand branches': shell(`
    head=$(git rev-parse HEAD)
    i=0; while [ $i -lt 10000 ]; do echo "create refs/heads/x/$i $head"; i=$((i+1)); done | git update-ref --stdin && held planted`),
};

async function expectLooks(fixture: EscapeFixture): Promise<void> {
  const ls = await fixture.carrel('ls', '--json');
  expect(ls.status, ls.stderr).toBe(0);
  const rows: { name: string; changes: unknown }[] = JSON.parse(ls.stdout);
  expect(rows.map(({ name }) => name).toSorted()).toEqual(['a', 'b']);
  expect(rows.find(({ name }) => name === 'b')?.changes).not.toBeNull();
  const show = await fixture.carrel('show', 'a');
  expect(show.status, show.stderr).toBe(0);
  // What can't be compared may be refused, with a sentence.
  const diff = await fixture.carrel('diff', 'a', '--stat');
  expect(diff.status === 0 || /^(error|carrel): /m.test(diff.stderr), diff.stderr).toBe(true);
}
