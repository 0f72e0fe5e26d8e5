import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Flavour, requireFlavour } from '../../helpers/escape/escape-flavour.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import { type EscapeFixture, makeEscapeFixture } from '../../helpers/escape/escape-workspace.js';
import type { ContentAttempt } from './content-attempt.js';
import { makePlainWorktree } from './plain-worktree.js';
import { findHarm, type RepositoryState, readState } from './repository-state.js';

/** One test per attempt, all in one workspace and one plain worktree: each puts its commit in place of the last one. */
export function testContentAttempts(
  flavour: Flavour,
  area: string,
  attempts: readonly ContentAttempt[],
): void {
  describe(area, () => {
    const missing = flavour.findMissing();
    let fixture: EscapeFixture;
    let control: ReturnType<typeof makePlainWorktree>;
    let before: RepositoryState;
    beforeAll(async () => {
      if (missing) return;
      fixture = await makeEscapeFixture(flavour);
      control = makePlainWorktree(fixture);
      before = readState(fixture.repository, fixture.git);
    });
    afterAll(() => fixture?.close());

    for (const attempt of attempts) {
      test(`the agent never ${attempt.name}`, async context => {
        requireFlavour(context, flavour);
        const program = attempt.program(fixture.git(fixture.repository, 'rev-parse', 'v1'));
        expect((await fixture.inside(program)).stdout).toContain('COMMITTED');
        expect(hasArrived(fixture, fixture.repository)).toBe(false);
        const inPlain = attempt.program(fixture.git(control.repository, 'rev-parse', 'v1'));
        await fixture.host(programWords(inPlain), { cwd: control.path });
        expect(hasArrived(fixture, control.repository), 'the control').toBe(true);
        fixture.git(control.repository, 'update-ref', 'refs/heads/carrel/a', 'v1');
      });
    }

    test('the repository is unchanged after all of them', context => {
      requireFlavour(context, flavour);
      expect(findHarm(fixture.repository, fixture.git, before)).toEqual([]);
    });
  });
}

function hasArrived(fixture: EscapeFixture, repository: string): boolean {
  return fixture.git(repository, 'log', '-1', '--format=%s', 'carrel/a') === 'hostile';
}
