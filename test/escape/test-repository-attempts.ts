import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { EscapeDesk } from '../helpers/escape-desk.js';
import type { Flavour } from '../helpers/escape-flavour.js';
import { programWords } from '../helpers/escape-tools.js';
import { makePlainWorktree } from './plain-worktree.js';
import type { RepositoryAttempt, RepositoryTarget } from './repository-attempt.js';
import { findHarm, readState } from './repository-state.js';
import { testStories } from './test-story.js';

/** One test per attempt, all in one workspace; whatever makes its git useless comes last. */
export function testRepositoryAttempts(
  flavour: Flavour,
  area: string,
  attempts: readonly RepositoryAttempt[],
): void {
  testStories(flavour, area, tell => {
    for (const attempt of attempts) {
      tell(`nobody ${attempt.name}`, async desk => {
        await expectHarmless(desk, attempt);
        await expectHarmful(desk, attempt);
      });
    }
  });
}

/** Inside; the command takes back what was committed when it ends, and a snapshot does once more. */
async function expectHarmless(desk: EscapeDesk, attempt: RepositoryAttempt): Promise<void> {
  const target = describeTarget(desk, desk.repository);
  // Once before as well: git writes the index anew when it sees files for the first time.
  await useAsUserWould(desk, desk.repository, desk.path);
  const before = readState(target.repository, target.git);
  await desk.inside(attempt.program(target));
  await desk.carrel('snapshot', 'a');
  await useAsUserWould(desk, desk.repository, desk.path);
  expect(findHarm(target.repository, target.git, before)).toEqual([]);
  expect(findSigns(target)).toEqual([]);
}

/** In a plain worktree of another repository. */
async function expectHarmful(desk: EscapeDesk, attempt: RepositoryAttempt): Promise<void> {
  const { repository, path } = makePlainWorktree(desk);
  const target = describeTarget(desk, repository);
  await useAsUserWould(desk, repository, path);
  const before = readState(repository, target.git);
  await desk.host(programWords(attempt.program(target)), { cwd: path });
  await useAsUserWould(desk, repository, path);
  const signs = [...findHarm(repository, target.git, before), ...findSigns(target)];
  expect(signs, 'the control did no harm').not.toEqual([]);
}

let count = 0;

function describeTarget(desk: EscapeDesk, repository: string): RepositoryTarget {
  const base = desk.git(repository, 'rev-parse', 'v1');
  return {
    repository,
    mark: join(desk.home, `mark-${count++}`),
    object: `${base.slice(0, 2)}/${base.slice(2)}`,
    git: desk.git,
  };
}

/** The next plain commands that somebody types, with nothing switched off. How they end does not matter. */
async function useAsUserWould(desk: EscapeDesk, repository: string, path: string): Promise<void> {
  for (const cwd of [repository, path]) {
    await desk.host(['git', 'status'], { cwd });
    await desk.host(['git', 'diff', 'HEAD'], { cwd });
  }
}

const findSigns = ({ mark }: RepositoryTarget): string[] => (existsSync(mark) ? ['a program was run'] : []);
