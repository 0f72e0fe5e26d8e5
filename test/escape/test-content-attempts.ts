import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EscapeDesk, makeEscapeDesk } from '../helpers/escape-desk.js';
import type { Flavour } from '../helpers/escape-flavour.js';
import { programWords } from '../helpers/escape-tools.js';
import { requirePart } from '../helpers/required-part.js';
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
    let desk: EscapeDesk;
    let control: ReturnType<typeof makePlainWorktree>;
    let before: RepositoryState;
    beforeAll(async () => {
      if (missing) return;
      desk = await makeEscapeDesk(flavour);
      control = makePlainWorktree(desk);
      before = readState(desk.repository, desk.git);
    });
    afterAll(() => desk?.close());

    for (const attempt of attempts) {
      test(`nobody ${attempt.name}`, async context => {
        requirePart(context, !missing, missing ?? '');
        const program = attempt.program(desk.git(desk.repository, 'rev-parse', 'v1'));
        expect((await desk.inside(program)).stdout).toContain('COMMITTED');
        expect(hasArrived(desk, desk.repository)).toBe(false);
        const inPlain = attempt.program(desk.git(control.repository, 'rev-parse', 'v1'));
        await desk.host(programWords(inPlain), { cwd: control.path });
        expect(hasArrived(desk, control.repository), 'the control').toBe(true);
        desk.git(control.repository, 'update-ref', 'refs/heads/carrel/a', 'v1');
      });
    }

    test('the repository is as it was after all of them', context => {
      requirePart(context, !missing, missing ?? '');
      expect(findHarm(desk.repository, desk.git, before)).toEqual([]);
    });
  });
}

function hasArrived(desk: EscapeDesk, repository: string): boolean {
  return desk.git(repository, 'log', '-1', '--format=%s', 'carrel/a') === 'hostile';
}
