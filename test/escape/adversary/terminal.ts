import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import type { Flavour } from '../../helpers/escape/escape-flavour.js';
import type { EscapeFixture } from '../../helpers/escape/escape-workspace.js';
import { requirePart } from '../../parts/required-part.js';
import { perl } from '../harness/program.js';
import { testStories } from '../harness/test-story.js';
import { STORY_MS } from './story-limit.js';

/** What an agent writes or prints moves nothing on the terminal of the user who looks at it. */
export function testTerminal(flavour: Flavour): void {
  testStories(
    flavour,
    'the terminal of the user',
    tell => {
      tell('names, contents and messages of an agent reach it as text', async (fixture, context) => {
        requirePart(context, spawnSync('script', ['--version']).status === 0, 'script(1)');
        await fixture.inside(paint);
        for (const args of LOOKS) await expectText(fixture, args);
        const control = await fixture.host(
          onTerminal(['git', '-C', fixture.path, '--no-pager', 'diff', 'HEAD~1']),
        );
        expect(findSteering(control.stdout), 'the control').not.toEqual([]);
      });

      tell(
        'what an agent prints in a task reaches it as text, at once and later',
        async (fixture, context) => {
          requirePart(context, spawnSync('script', ['--version']).status === 0, 'script(1)');
          const command = JSON.stringify([
            'sh',
            '-c',
            `printf '${PRINTED}' | tee new.txt; printf '${PRINTED}' >&2`,
          ]);
          fixture.configure('', `agents: {painter: {command: ${command}}}\n`);
          const run = [
            'run',
            'paint it',
            '--workflow',
            'quick',
            '--agent',
            'painter',
            '--isolation',
            'full',
            '--keep',
          ];
          const shown = await expectText(fixture, run);
          const [id = ''] =
            /task_\w+/.exec(shown) ??
            /task_\w+/.exec((await fixture.carrel('task', 'ls', '--json')).stdout) ??
            [];
          for (const args of [
            ['task', 'logs', id],
            ['task', 'show', id],
            ['task', 'ls'],
            ['task', 'diff', id],
            ['ls'],
          ])
            await expectText(fixture, args);
          fixture.configure('');
          for (const { name } of JSON.parse((await fixture.carrel('ls', '--json')).stdout))
            if (name !== 'a') await fixture.carrel('down', name, '--discard-changes', '--discard-commits');
        },
      );
    },
    STORY_MS,
  );
}

const LOOKS = [
  ['diff', 'a'],
  ['diff', 'a', '--stat'],
  ['diff', 'a', '--json'],
  ['ls'],
  ['show', 'a'],
  ['snapshot', 'a'],
  ['snapshots'],
];

/** Title, clipboard, clear, C1, answers, and letters that turn the reading order around. */
const PRINTED = String.raw`\033]0;title\007\033]52;c;ZXZpbA==\007\033[2J\033[6n\302\2332J\302\23552;c;eA==\302\234\342\200\256txt\n`;

const paint = perl(String.raw`
my $text = "\e]0;title\a\e]52;c;ZXZpbA==\a\e[2J\e[6n\xc2\x9b2J\xc2\x9d52;c;eA==\xc2\x9c\xe2\x80\xaetxt";
for my $name ("name$text", "README.md", "\xe2\x80\xaegpj.exe", ".envrc") {
  my $plain = $name =~ s/[\/]//gr;
  open(my $file, '>', "./$plain") or next;
  print $file "$text\n";
}
system 'git', 'add', '.envrc', 'README.md';
system 'git', 'commit', '--quiet', '--message', $text;
open(my $more, '>>', 'README.md'); print $more "$text\n";
held('painted');
`);

async function expectText(fixture: EscapeFixture, args: readonly string[]): Promise<string> {
  const { stdout } = await fixture.host(onTerminal(fixture.carrelWords(...args)));
  expect(findSteering(stdout), args.join(' ')).toEqual([]);
  return stdout;
}

/** Colours, and what Carrel itself draws a running task with (lines, the cursor), are not what an agent sends. */
function findSteering(shown: string): string[] {
  return shown.match(STEERING) ?? [];
}

const ESCAPE = '\u001b';
const STEERING = new RegExp(
  `${ESCAPE}\\](?:0;title|52)|${ESCAPE}\\[(?:2J|6n)|${ESCAPE}P|[\u0080-\u009f\u202a-\u202e\u2066-\u2069]`,
  'g',
);

function onTerminal(words: readonly string[]): string[] {
  const line = words.map(word => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
  return ['script', '--quiet', '--return', '--command', line, '/dev/null'];
}
