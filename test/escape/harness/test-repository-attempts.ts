import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { makePlainWorktree } from './plain-worktree.js';
import type { RepositoryAttempt, RepositoryTarget } from './repository-attempt.js';
import { findHarm, readState } from './repository-state.js';
import { testStories } from './test-story.js';

/** One test per attempt, all in one workspace; attempts that break its git come last. */
export function testRepositoryAttempts(
  flavour: Flavour,
  area: string,
  attempts: readonly RepositoryAttempt[],
): void {
  testStories(flavour, area, tell => {
    for (const attempt of attempts) {
      tell(`the agent never ${attempt.name}`, async fixture => {
        await expectHarmless(fixture, attempt);
        await expectHarmful(fixture, attempt);
      });
    }
  });
}

/** Inside; the command imports what was committed when it exits, and a snapshot does so again. */
async function expectHarmless(fixture: EscapeFixture, attempt: RepositoryAttempt): Promise<void> {
  const target = describeTarget(fixture, fixture.repository);
  // Once before as well: git writes the index anew when it sees files for the first time.
  await useAsUserWould(fixture, fixture.repository, fixture.path);
  const before = readState(target.repository, target.git);
  await fixture.inside(attempt.program(target));
  await fixture.carrel('snapshot', 'a');
  await useAsUserWould(fixture, fixture.repository, fixture.path);
  expect(findHarm(target.repository, target.git, before)).toEqual([]);
  expect(findSigns(target)).toEqual([]);
}

/** In a plain worktree of another repository. */
async function expectHarmful(fixture: EscapeFixture, attempt: RepositoryAttempt): Promise<void> {
  const { repository, path } = makePlainWorktree(fixture);
  const target = describeTarget(fixture, repository);
  await useAsUserWould(fixture, repository, path);
  const before = readState(repository, target.git);
  await fixture.host(programWords(attempt.program(target)), { cwd: path });
  await useAsUserWould(fixture, repository, path);
  const signs = [...findHarm(repository, target.git, before), ...findSigns(target)];
  expect(signs, 'the control did no harm').not.toEqual([]);
}

let count = 0;

function describeTarget(fixture: EscapeFixture, repository: string): RepositoryTarget {
  const base = fixture.git(repository, 'rev-parse', 'v1');
  return {
    repository,
    mark: join(fixture.home, `mark-${count++}`),
    object: `${base.slice(0, 2)}/${base.slice(2)}`,
    git: fixture.git,
  };
}

/** The next plain commands that the user types, with nothing turned off. Their results don't matter. */
async function useAsUserWould(fixture: EscapeFixture, repository: string, path: string): Promise<void> {
  for (const cwd of [repository, path]) {
    await fixture.host(['git', 'status'], { cwd });
    await fixture.host(['git', 'diff', 'HEAD'], { cwd });
  }
}

const findSigns = ({ mark }: RepositoryTarget): string[] => (existsSync(mark) ? ['a program was run'] : []);
