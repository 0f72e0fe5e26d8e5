import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { endAll, findByArgument, isOnHost } from '../../helpers/escape/escape-processes.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import type { EscapeFixture, Started } from '../../helpers/escape/escape-workspace.js';
import { childrenOf } from '../../helpers/machine/processes.js';
import { waitFor } from '../../helpers/wait-for.js';
import { type Program, perl, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

const makeWord = (): string => `carrel-word-${randomBytes(6).toString('hex')}`;

/** Nothing that was started inside is still there when it should not be. */
export function testEndings(flavour: Flavour): void {
  testStories(flavour, 'endings', tell => {
    tell('a daemon that left its parents behind ends with the sandbox', async fixture => {
      const word = makeWord();
      await fixture.inside(daemon(word));
      expect(findByArgument(word).filter(isOnHost)).toEqual([]);
      // A container goes on between commands and takes what is in it along when it is stopped.
      if (flavour.runtime !== 'bubblewrap') await fixture.renew();
      await expectGone(word);
      await expectSurvives(fixture, daemon);
    });

    tell('what runs inside ends when Carrel is killed', async fixture => {
      const word = makeWord();
      const running = await startInside(fixture, loop(word));
      running.child.kill('SIGKILL');
      await once(running.child, 'exit');
      // A container's commands are stopped by the next Carrel command.
      if (flavour.runtime !== 'bubblewrap') await fixture.carrel('ls');
      await expectGone(word);
      await running.outcome;
      await expectSurvives(fixture, orphan);
    });

    tell('what runs inside ends when the runtime is killed, and Carrel says so', async fixture => {
      const word = makeWord();
      const running = await startInside(fixture, loop(word));
      await killRuntime(fixture, running);
      const outcome = await running.outcome;
      expect(outcome.status).not.toBe(0);
      await expectGone(word);
      expect((await fixture.inside(shell('held here'))).stdout).toContain('HELD');
    });

    tell('a command that ignores all that can be ignored ends at its time limit', async fixture => {
      const word = makeWord();
      await expectTimesOut(fixture, stubborn(word));
      await expectGone(word);
      await expectSurvives(fixture, stubborn, 'SIGTERM');
    });

    tell('a command that stops the first process of its sandbox ends at its time limit', async fixture => {
      const word = makeWord();
      const program = shell('kill -STOP 1; echo READY; kill -STOP $$; while :; do sleep 1; done', word);
      await expectTimesOut(fixture, program);
      await expectGone(word);
    });
  });
}

const LOOP = 'while :; do sleep 1; done';

const loop = (word: string): Program => shell(`echo READY; ${LOOP}`, word);

const stubborn = (word: string): Program => shell(`trap '' TERM INT HUP QUIT; echo READY; ${LOOP}`, word);

/** Forks twice, with a new session in between. */
const daemon = (word: string): Program =>
  perl(
    String.raw`
    if (fork == 0) {
      sys('setsid');
      if (fork == 0) {
        open(STDIN, '<', '/dev/null');
        open(STDOUT, '>', '/dev/null');
        open(STDERR, '>', '/dev/null');
        exec 'sh', '-c', '${LOOP}', 'sh', $ARGV[0];
      }
      exit 0;
    }
    wait;
    print "READY\n";`,
    word,
  );

/** A process that is left behind when its parent is killed. */
const orphan = (word: string): Program =>
  shell(`sh -c '${LOOP}' sh "$1" >/dev/null 2>&1 & echo READY; wait`, word);

async function startInside(fixture: EscapeFixture, program: Program): Promise<Started> {
  const running = fixture.start(fixture.carrelWords(...fixture.insideWords(program)));
  await waitFor('the command inside', () => (running.printed().includes('READY') ? true : undefined));
  return running;
}

/** By the id of a process that is ours: the child of the command that we started, or the container of our workspace. */
async function killRuntime(fixture: EscapeFixture, { child }: Started): Promise<void> {
  if (fixture.flavour.runtime === 'podman') {
    const { stdout } = await fixture.carrel('show', 'a', '--json');
    const label = `label=carrel.workspace=${JSON.parse(stdout).id}`;
    const list = await fixture.host(['podman', 'ps', '--quiet', '--filter', label]);
    expect((await fixture.host(['podman', 'kill', list.stdout.trim()])).status).toBe(0);
    return;
  }
  const children = childrenOf(child.pid as number).filter(line => line.endsWith(' bwrap'));
  expect(children).toHaveLength(1);
  endAll(children.map(line => Number.parseInt(line, 10)));
}

async function expectTimesOut(fixture: EscapeFixture, program: Program): Promise<void> {
  const { stdout } = await fixture.carrel(
    'exec',
    '--json',
    '--timeout',
    '1s',
    'a',
    '--',
    ...fixture.words(program),
  );
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'COMMAND_TIMED_OUT',
    details: { stdout: 'READY\n' },
  });
}

async function expectGone(word: string): Promise<void> {
  await waitFor(`the end of ${word}`, () => (findByArgument(word).length === 0 ? true : undefined), 5_000);
}

/** The control: the same program on the host, whose starter is ended, is still there afterwards. */
async function expectSurvives(
  fixture: EscapeFixture,
  make: (word: string) => Program,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  const word = makeWord();
  const running = fixture.start(programWords(make(word)));
  await waitFor('the control', () => (running.printed().includes('READY') ? true : undefined));
  running.child.kill(signal);
  try {
    await waitFor('what the control left', () => (findByArgument(word).length > 0 ? true : undefined));
    if (signal === 'SIGKILL') await running.outcome;
    expect(findByArgument(word)).not.toEqual([]);
  } finally {
    endAll(findByArgument(word));
    await running.outcome;
  }
}
