import { expect, type TestContext } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { giveTo } from '../../helpers/escape/escape-surroundings.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { mountSmallDisk } from '../../helpers/machine/small-disk.js';
import { perl, readVerdict } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { STORY_MS } from './story-limit.js';

/** The limits that hold without any configuration, really reached. That of memory is most of the machine's, and is not. */
export function testUsualLimits(flavour: Flavour): void {
  testStories(
    flavour,
    'usual limits',
    tell => {
      tell('a fork bomb comes to 4,096 processes, and the next command works', async fixture => {
        const bomb = await fixture.carrel('exec', 'a', '--', ...fixture.words(forkBomb));
        expect(readVerdict(bomb.stdout), `${bomb.stdout}${bomb.stderr}`).toBe('held');
        expect((await fixture.carrel('exec', 'a', '--', 'true')).status).toBe(0);
        fixture.configure('', 'workspace:\n  container:\n    resourceLimits:\n      pids: 8000\n');
        await fixture.renew();
        const control = await fixture.carrel('exec', 'a', '--', ...fixture.words(forkBomb));
        expect(readVerdict(control.stdout), `the control: ${control.stdout}${control.stderr}`).toBe(
          'escaped',
        );
        fixture.configure('');
        await fixture.renew();
      });

      tell('a command that fills the disk is stopped at half of what was free', async (fixture, context) => {
        const env = useSmallDisk(fixture, context);
        const carrel = (...args: string[]) => fixture.host(fixture.carrelWords(...args), { env });
        const up = await carrel('up', 'b', '--isolation', 'full', '--strict');
        expect(up.status, up.stderr).toBe(0);
        const filled = await carrel('exec', 'b', '--', ...fixture.words(fillDisk));
        expect(readVerdict(filled.stdout), filled.stdout).toBeUndefined();
        expect(filled.stderr).toContain('its disk limit');
        fixture.configure('');
        await carrel('down', 'b', '--discard-changes', '--discard-commits');
      });
    },
    STORY_MS,
  );
}

const forkBomb = perl(`
my @children;
for (1 .. 4200) {
  my $child = fork;
  last unless defined $child;
  if ($child == 0) { sleep 120; exit 0 }
  push @children, $child;
}
my $count = @children;
kill 'KILL', @children;
waitpid($_, 0) for @children;
$count == 4200 ? escaped($count) : held("at $count");
`);

/** Slowly enough for a periodic check. */
const fillDisk = perl(`
for my $number (1 .. 90) {
  open(my $file, '>', "part-$number") or held($!);
  syswrite($file, 'x' x (1 << 20)) or held($!);
  select(undef, undef, undef, 0.1);
}
escaped('90 MB');
`);

/** Workspaces on a file system of 128 MB. */
function useSmallDisk(fixture: EscapeFixture, context: TestContext) {
  const { path } = mountSmallDisk(context, '128m');
  giveTo(path, fixture.uid);
  fixture.configure('', 'workspace: {limits: {freeDisk: 1m}}\n');
  return { ...fixture.env, CARREL_CACHE_DIR: path };
}
