import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import { programWords } from '../../helpers/escape/escape-tools.js';
import { requirePart } from '../../parts/required-part.js';
import { perl, readVerdict, shell } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';

/** What the process that starts a command has open, and the terminal it sits at. */
export function testLauncher(flavour: Flavour): void {
  testStories(flavour, 'the launcher', tell => {
    tell("a command can't read from a descriptor that Carrel itself was started with", async fixture => {
      const open = ['sh', '-c', 'exec 9<"$1"; shift; exec "$@"', 'sh', join(fixture.home, 'diary.txt')];
      const inside = await fixture.host([
        ...open,
        ...fixture.carrelWords(...fixture.insideWords(readDescriptors)),
      ]);
      expect(inside.stdout).toContain('INSIDE');
      expect(readVerdict(inside.stdout), inside.stdout).toBe('held');
      const control = await fixture.host([...open, ...programWords(readDescriptors)]);
      expect(readVerdict(control.stdout), control.stdout).toBe('escaped');
    });

    tell("a command can't type into the user's terminal", async (fixture, context) => {
      requirePart(context, spawnSync('script', ['--version']).status === 0, 'script(1)');
      const inside = await fixture.host(onTerminal(fixture.carrelWords(...fixture.insideWords(typeInto))));
      expect(inside.stdout).toContain('INSIDE');
      expect(readVerdict(inside.stdout), inside.stdout).toBe('held');
      const control = await fixture.host(onTerminal(programWords(typeInto)));
      // Many kernels have it off (dev.tty.legacy_tiocsti), so CI does not ask for it.
      const canType = readVerdict(control.stdout) === 'escaped';
      requirePart(context, canType, 'typing into terminals');
    });

    tell("a command can't type into the terminal that it was given", async (fixture, context) => {
      requirePart(context, spawnSync('script', ['--version']).status === 0, 'script(1)');
      const [exec = '', ...words] = fixture.insideWords(typeInto);
      const inside = await fixture.host(onTerminal(fixture.carrelWords(exec, '--terminal', ...words)));
      expect(inside.stdout).toContain('INSIDE');
      expect(readVerdict(inside.stdout), inside.stdout).toBe('held');
    });

    tell("a command can't write control sequences to the user's terminal", async (fixture, context) => {
      requirePart(context, spawnSync('script', ['--version']).status === 0, 'script(1)');
      const inside = await fixture.host(onTerminal(fixture.carrelWords(...fixture.insideWords(paint))));
      expect(inside.stdout).toContain('INSIDE');
      expect(inside.stdout).toContain('before');
      expect(findSequences(inside.stdout)).toEqual([]);
      const control = await fixture.host(onTerminal(programWords(paint)));
      expect(findSequences(control.stdout)).not.toEqual([]);
    });
  });
}

const readDescriptors = perl(`
for my $number (3 .. 255) {
  open(my $file, "<&=$number") or next;
  my $length = sysread($file, my $text, 100);
  escaped("descriptor $number: $text") if defined $length && $length == 24;
}
held('none');
`);

/** TIOCSTI puts a character into the input of the next reader of the terminal. */
const typeInto = perl(`
for my $name ('/dev/tty', '/proc/self/fd/0', '/proc/self/fd/1', '/proc/self/fd/2') {
  open(my $terminal, '+<', $name) or next;
  my $character = ' ';
  for my $request (0x5412, 0x100005412) {
    escaped($name) if sys('ioctl', fileno($terminal), $request, $character) == 0;
  }
}
held($!);
`);

/** Sets the title, the clipboard and the colour, clears the screen, asks the terminal to answer. */
const paint = shell(String.raw`
printf 'before\033]0;title\007\033]52;c;ZXZpbA==\007\033[31mred\033[2J\033[6n\033P+q544e\033\\\302\2332Jafter\n'
`);

function findSequences(shown: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return shown.match(/\u001b\][^\u0007]*\u0007|\u001b\[(?:2J|6n)|\u001bP|\u009b/g) ?? [];
}

function onTerminal(words: readonly string[]): string[] {
  const line = words.map(word => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  return ['script', '--quiet', '--return', '--command', line, '/dev/null'];
}
