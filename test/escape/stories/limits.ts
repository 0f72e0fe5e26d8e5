import { expect } from 'vitest';
import type { LimitName } from '../../../src/domain/sandbox/runtime-finding.js';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { type Program, perl, readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** What one command could take from everybody else on the machine. */
export function testLimits(flavour: Flavour): void {
  testStories(flavour, 'limits', tell => {
    for (const [what, limit, value, program] of hogs) {
      tell(
        `a command that takes all ${what} it can get is held back, and the limit is named`,
        async fixture => {
          await expectLimited(fixture, limit, value, program);
          const control = await fixture.host(programWords(program), { cwd: fixture.scratch() });
          expect(readVerdict(control.stdout), `the control: ${control.stdout}${control.stderr}`).toBe(
            'escaped',
          );
        },
      );
    }

    tell('endless output is cut off, not kept', async fixture => {
      const program = perl(`for (1 .. 160) { print 'x' x (1 << 20) }`);
      const { stdout } = await fixture.carrel('exec', '--json', 'a', '--', ...fixture.words(program));
      expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, truncated: true });
      expect(stdout.length).toBeLessThan(100 * 1024 ** 2);
    });
  });
}

const hogs: readonly (readonly [what: string, limit: LimitName, value: string, program: Program])[] = [
  [
    'processes',
    'pids',
    '48',
    perl(String.raw`
      my @children;
      for (1 .. 300) {
        my $child = fork;
        last unless defined $child;
        if ($child == 0) { sleep 60; exit 0 }
        push @children, $child;
      }
      kill 'KILL', @children;
      waitpid($_, 0) for @children;
      escaped('300 children') if @children == 300;
      print 'HELD at ', scalar(@children), " children\n";
      exit 1;`),
  ],
  ['memory', 'memory', '96m', perl(`my $text = 'x' x (400 << 20); escaped(length $text);`)],
  [
    'of one file',
    'fileSize',
    '4m',
    perl(`
      open(my $file, '>', 'large') or held($!);
      for (1 .. 32) { syswrite($file, 'x' x (1 << 20)) or held($!) }
      escaped(-s 'large');`),
  ],
  [
    'space',
    'disk',
    '8m',
    // In many files, and slowly enough for a periodic check.
    perl(`
      for my $number (1 .. 80) {
        open(my $file, '>', "part-$number") or held($!);
        syswrite($file, 'x' x (1 << 20)) or held($!);
        select(undef, undef, undef, 0.05);
      }
      escaped('80 MB');`),
  ],
  [
    'files',
    'disk',
    '8m',
    // Files without a byte in them take space too: that of their names and inodes.
    perl(`
      mkdir 'many';
      for my $number (1 .. 8_000) {
        open(my $file, '>', "many/$number") or held($!);
        select(undef, undef, undef, 0.05) unless $number % 100;
      }
      escaped('8000 files');`),
  ],
];

/** In a separate workspace, with a neighbour that keeps running. Where the machine can't enforce the limit, nothing runs. */
async function expectLimited(
  fixture: EscapeFixture,
  limit: LimitName,
  value: string,
  program: Program,
): Promise<void> {
  fixture.configure('', `workspace:\n  container:\n    resourceLimits:\n      ${limit}: ${value}\n`);
  const up = await fixture.carrel('up', 'b', '--isolation', 'full', '--strict', '--json');
  try {
    expect(up.status, up.stdout).toBe(0);
    const [outcome, neighbour] = await Promise.all([
      fixture.carrel('exec', '--json', 'b', '--', ...fixture.words(program)),
      fixture.inside(shell('held here')),
    ]);
    expect(readVerdict(neighbour.stdout)).toBe('held');
    const { error, ...result } = JSON.parse(outcome.stdout);
    expect(readVerdict(result.stdout ?? '')).not.toBe('escaped');
    if (error) expect(error).toMatchObject({ code: 'LIMIT_NOT_ENFORCEABLE', details: { limits: [limit] } });
    else if (isTold(fixture, limit)) expect(outcome.stderr, outcome.stdout).toContain(`its ${limit} limit`);
  } finally {
    fixture.configure('');
    await fixture.carrel('down', 'b', '--discard-changes', '--discard-commits', '--stop-processes');
  }
}

/** Without a control group of the user's own it is the process alone that hears why it got no child. */
const isTold = ({ uid }: EscapeFixture, limit: LimitName): boolean => limit !== 'pids' || uid === undefined;
