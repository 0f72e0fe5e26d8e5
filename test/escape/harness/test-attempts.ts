import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import { type EscapeBait, withBait } from '../../helpers/escape/escape-bait.js';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { giveTo } from '../../helpers/escape/escape-surroundings.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { waitFor } from '../../helpers/wait-for.js';
import { isRoot, requirePart } from '../../parts/required-part.js';
import type { Attempt } from './attempt.js';
import { type Program, readVerdict } from './program.js';
import { testStories } from './test-story.js';

/** One test per attempt, all in one workspace: held inside, without a trace outside, and successful as the control. */
export function testAttempts(flavour: Flavour, area: string, attempts: readonly Attempt[]): void {
  testStories(flavour, area, tell => {
    for (const attempt of attempts) {
      tell(`the agent never ${attempt.name}`, (fixture, context) =>
        withBait(fixture, async bait => {
          await expectHeld(fixture, attempt, bait);
          await expectControl(fixture, attempt, bait, context);
        }),
      );
    }
  });
}

async function expectHeld(fixture: EscapeFixture, attempt: Attempt, bait: EscapeBait): Promise<void> {
  const outcome = await fixture.inside(attempt.program(bait));
  expect(readVerdict(outcome.stdout), `${outcome.stdout}${outcome.stderr}`).toBe('held');
  expect(attempt.traces?.(bait) ?? []).toEqual([]);
}

async function expectControl(
  fixture: EscapeFixture,
  attempt: Attempt,
  bait: EscapeBait,
  context: TestContext,
): Promise<void> {
  if (attempt.control === 'root') requirePart(context, isRoot, 'root');
  const decoy = makeDecoy(fixture, bait);
  const outcome = await fixture.host(controlWords(attempt, attempt.program(decoy), decoy), {
    as: attempt.control === 'root' ? 'root' : 'user',
    cwd: decoy.path,
  });
  const hasEscaped = readVerdict(outcome.stdout) === 'escaped';
  if (attempt.controlNeeds) requirePart(context, hasEscaped, attempt.controlNeeds);
  expect(hasEscaped, `the control: ${outcome.stdout}${outcome.stderr}`).toBe(true);
  const { traces } = attempt;
  // Not at once: a process that was killed takes a moment to go.
  if (traces) await waitFor('traces of the control', () => traces(decoy)[0]);
}

let decoys = 0;

/** Looks like a workspace, so that a control run on it is harmless. */
function makeDecoy(fixture: EscapeFixture, bait: EscapeBait): EscapeBait {
  const place = join(fixture.home, `decoy-${decoys++}`);
  const path = join(place, 'a');
  mkdirSync(path, { recursive: true });
  mkdirSync(join(place, bait.neighbour));
  writeFileSync(join(path, '.git'), 'gitdir: elsewhere\n');
  giveTo(place, fixture.uid);
  return { ...bait, path };
}

function controlWords(attempt: Attempt, program: Program, { path, home }: EscapeBait): string[] {
  const words = programWords(program);
  return attempt.control === 'weak sandbox'
    ? [...weakSandbox(path, join(home, 'diary.txt')), ...words]
    : words;
}

/** Covers `.git` as Carrel does, and does nothing else for it. */
function weakSandbox(path: string, cover: string): string[] {
  const everything = [
    '--unshare-user',
    '--uid',
    '0',
    '--gid',
    '0',
    '--cap-add',
    'ALL',
    '--dev-bind',
    '/',
    '/',
  ];
  const mounts = ['--proc', '/proc', '--bind', path, path, '--ro-bind', cover, join(path, '.git')];
  return ['bwrap', ...everything, ...mounts, '--chdir', path, '--'];
}
