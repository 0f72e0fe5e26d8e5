import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../../../test/helpers/flavours.js';
import { tempDir } from '../../../../test/helpers/temp.js';
import { requireProgram } from '../../../../test/parts/required-part.js';
import { describeCommands } from '../help/describe-commands.js';
import { valueOptions } from './completion-words.js';
import { writeCompletion } from './write-completion.js';

type Shell = 'bash' | 'zsh' | 'fish';

/** What completion must offer at the end of each line, in every shell. */
const lines: readonly (readonly [line: string, offers: readonly string[]])[] = [
  ['carrel workt', ['worktrees']],
  ['carrel worktrees ', ['cleanup', 'list', 'remove']],
  ['carrel worktrees remove ', ['alpha', 'beta']],
  ['carrel worktrees remove --break-lease ', ['alpha', 'beta']],
  ['carrel show ', ['alpha', 'beta']],
  ['carrel exec --timeout 5s al', ['alpha']],
  ['carrel -R /x/other down ', ['alpha', 'beta', 'of-/x/other']],
  ['carrel down -R /x/other ', ['alpha', 'beta', 'of-/x/other']],
  ['carrel task show ', ['alpha', 'beta', 'task_1']],
  ['carrel eval resume run', ['run_1']],
  ['carrel eval compare run_1 run', ['run_1']],
  ['carrel up --isolation ', ['full', 'shared', 'worktree']],
  ['carrel up x --isolation w', ['worktree']],
  ['carrel up --iso', ['--isolation']],
  ['carrel ps --al', ['--all']],
  ['carrel completion ', ['bash', 'fish', 'zsh']],
];

describe.each(sampleOf(['bash', 'zsh', 'fish'] as const, 'bash', 'fish'))(
  'the completion script for %s',
  shell => {
    it('is accepted by the shell', async context => {
      requireProgram(context, shell);
      const { script } = await setUp(shell);
      expect(execFileSync(shell, ['-n', script], { encoding: 'utf8' })).toBe('');
    });

    it('offers what fits at the end of each line', async context => {
      requireProgram(context, shell);
      const place = await setUp(shell);
      const offered = lines.map(([line]) => [line, complete(shell, line, place)]);
      expect(offered).toEqual(lines);
    }, 120_000);

    it('knows every command and every option', async () => {
      const commands = await describeCommands();
      const script = writeCompletion(shell, commands);
      const words = commands.flatMap(({ name, options }) => [
        ...name.split(' '),
        ...options.flatMap(option =>
          option.names.filter(flag => flag.startsWith('--')).map(flag => flag.slice(2)),
        ),
      ]);
      expect(words.filter(word => !script.includes(word))).toEqual([]);
    });
  },
);

it('no option takes a value in one command and none in another', async () => {
  const commands = await describeCommands();
  const taking = new Set(valueOptions(commands));
  const alone = commands.flatMap(({ options }) =>
    options.filter(option => !option.value).flatMap(option => option.names),
  );
  expect(alone.filter(name => taking.has(name))).toEqual([]);
});

interface Place {
  readonly directory: string;
  readonly script: string;
  readonly env: Record<string, string>;
}

/** The script in a file, and a `carrel` on PATH that knows two workspaces and one more in another repository. */
async function setUp(shell: Shell): Promise<Place> {
  const directory = tempDir();
  const script = join(directory, `carrel.${shell}`);
  writeFileSync(script, writeCompletion(shell, await describeCommands()));
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'carrel'),
    '#!/bin/sh\necho alpha; echo beta; [ "$2" = -R ] && echo "of-$3"; [ "$2" = --tasks ] && echo task_1; [ "$2" = --runs ] && echo run_1; exit 0\n',
  );
  chmodSync(join(bin, 'carrel'), 0o755);
  return {
    directory,
    script,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: directory, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
  };
}

function complete(shell: Shell, line: string, place: Place): string[] {
  const offers = { bash: completeInBash, zsh: completeInZsh, fish: completeInFish }[shell](line, place);
  return [...new Set(offers.split('\n').filter(Boolean))].sort();
}

function completeInBash(line: string, { script, env, directory }: Place): string {
  const words = line.split(' ');
  const program = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _carrel; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', program, 'bash', script, ...words], {
    env,
    cwd: directory,
    encoding: 'utf8',
  });
}

function completeInFish(line: string, { script, env, directory }: Place): string {
  const program = 'source $argv[1]; complete -C $argv[2]';
  const output = execFileSync('fish', ['--no-config', '-c', program, script, line], {
    env,
    cwd: directory,
    encoding: 'utf8',
  });
  return output.replaceAll(/\t.*$/gm, '');
}

/** zsh completes only interactively: runs a second zsh on a pseudo-terminal, whose `compadd` records the offers. */
const zshDriver = `
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner "PS1=; autoload -Uz compinit; compinit -D -u; source $1"
zpty -w inner 'compadd() { local -a found; builtin compadd -O found "$@"; print -rl -- $found >> '$2'/offers; builtin compadd "$@" }'
zpty -w inner "finish() { : > $2/finished }; zle -N finish; bindkey '^Xf' finish"
zpty -n -w inner "$3"$'\\t\\C-xf'
while [[ ! -e $2/finished ]]; do zpty -r -t inner line || sleep 0.02; done
zpty -d inner
`;

function completeInZsh(line: string, { script, env, directory }: Place): string {
  const notes = join(directory, `notes-${line.replaceAll(/\W/g, '-')}`);
  mkdirSync(notes);
  execFileSync('zsh', ['-f', '-c', zshDriver, 'zsh', script, notes, line], {
    env,
    cwd: directory,
    timeout: 30_000,
  });
  return existsSync(join(notes, 'offers')) ? readFileSync(join(notes, 'offers'), 'utf8') : '';
}
