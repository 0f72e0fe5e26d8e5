import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'vitest';
import type { EscapeDesk, Started } from '../../helpers/escape-desk.js';
import type { Flavour } from '../../helpers/escape-flavour.js';
import { endAll, findByArgument, isOnHost } from '../../helpers/escape-processes.js';
import { programWords } from '../../helpers/escape-tools.js';
import { childrenOf } from '../../helpers/processes.js';
import { waitFor } from '../../helpers/wait-for.js';
import { type Program, perl, shell } from '../program.js';
import { testStories } from '../test-story.js';

const makeWord = (): string => `carrel-word-${randomBytes(6).toString('hex')}`;

/** Nothing that was started inside is still there when it should not be. */
export function testEndings(flavour: Flavour): void {
  testStories(flavour, 'endings', tell => {
    tell('a daemon that left its parents behind ends with the sandbox', async desk => {
      const word = makeWord();
      await desk.inside(daemon(word));
      expect(findByArgument(word).filter(isOnHost)).toEqual([]);
      // A container goes on between commands and takes what is in it along when it is stopped.
      if (flavour.runtime !== 'bubblewrap') await desk.renew();
      await expectGone(word);
      await expectSurvives(desk, daemon);
    });

    tell('what runs inside ends when Carrel is killed', async desk => {
      const word = makeWord();
      const running = await startInside(desk, loop(word));
      running.child.kill('SIGKILL');
      await once(running.child, 'exit');
      // A container's commands are ended by whoever looks next.
      if (flavour.runtime !== 'bubblewrap') await desk.carrel('ls');
      await expectGone(word);
      await running.outcome;
      await expectSurvives(desk, orphan);
    });

    tell('what runs inside ends when the runtime is killed, and Carrel says so', async desk => {
      const word = makeWord();
      const running = await startInside(desk, loop(word));
      await killRuntime(desk, running);
      const outcome = await running.outcome;
      expect(outcome.status).not.toBe(0);
      await expectGone(word);
      expect((await desk.inside(shell('held here'))).stdout).toContain('HELD');
    });

    tell('a command that ignores all that can be ignored ends at its time limit', async desk => {
      const word = makeWord();
      await expectTimesOut(desk, stubborn(word));
      await expectGone(word);
      await expectSurvives(desk, stubborn, 'SIGTERM');
    });

    tell('a command that stops the first process of its sandbox ends at its time limit', async desk => {
      const word = makeWord();
      const program = shell('kill -STOP 1; echo READY; kill -STOP $$; while :; do sleep 1; done', word);
      await expectTimesOut(desk, program);
      await expectGone(word);
    });
  });
}

const LOOP = 'while :; do sleep 1; done';

const loop = (word: string): Program => shell(`echo READY; ${LOOP}`, word);

const stubborn = (word: string): Program => shell(`trap '' TERM INT HUP QUIT; echo READY; ${LOOP}`, word);

/** Forks twice, with a session of its own in between. */
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

async function startInside(desk: EscapeDesk, program: Program): Promise<Started> {
  const running = desk.start(desk.carrelWords(...desk.insideWords(program)));
  await waitFor('the command inside', () => (running.printed().includes('READY') ? true : undefined));
  return running;
}

/** By the id of a process that is ours: the child of the command that we started, or the container of our workspace. */
async function killRuntime(desk: EscapeDesk, { child }: Started): Promise<void> {
  if (desk.flavour.runtime === 'podman') {
    const { stdout } = await desk.carrel('show', 'a', '--json');
    const label = `label=carrel.workspace=${JSON.parse(stdout).id}`;
    const list = await desk.host(['podman', 'ps', '--quiet', '--filter', label]);
    expect((await desk.host(['podman', 'kill', list.stdout.trim()])).status).toBe(0);
    return;
  }
  const children = childrenOf(child.pid as number).filter(line => line.endsWith(' bwrap'));
  expect(children).toHaveLength(1);
  endAll(children.map(line => Number.parseInt(line, 10)));
}

async function expectTimesOut(desk: EscapeDesk, program: Program): Promise<void> {
  const { stdout } = await desk.carrel(
    'exec',
    '--json',
    '--timeout',
    '1s',
    'a',
    '--',
    ...desk.words(program),
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
  desk: EscapeDesk,
  make: (word: string) => Program,
  signal: NodeJS.Signals = 'SIGKILL',
): Promise<void> {
  const word = makeWord();
  const running = desk.start(programWords(make(word)));
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
