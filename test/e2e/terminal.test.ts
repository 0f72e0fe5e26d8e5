import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { BINARY } from '../helpers/carrel.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { writeFiles } from '../helpers/repository.js';
import { requirePart } from '../helpers/required-part.js';
import { requireBubblewrap } from '../helpers/sandboxed.js';
import { tempDir } from '../helpers/temp.js';

// What changes when somebody sits before it, and what does not when nobody does.

/** Runs it on a pseudo-terminal, with `input` typed; what the terminal shows. */
function onTerminal(
  context: TestContext,
  desk: Desk,
  input: string,
  env: Record<string, string>,
  ...args: string[]
) {
  const words = [process.execPath, BINARY, ...args].map(word => `'${word}'`).join(' ');
  const call = spawnSync('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
    cwd: desk.repository,
    env: { ...desk.carrel.env, TERM: 'xterm', ...env },
    input,
    encoding: 'utf8',
  });
  requirePart(context, call.error === undefined, 'script(1), which makes a terminal');
  return { status: call.status, shown: call.stdout };
}

const ESCAPE = '\u001b[';

test('no colour in a pipe', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'new.txt': 'x\n' });
  for (const args of [
    ['ls'],
    ['show', 'a'],
    ['doctor'],
    ['diff', 'a'],
    ['down', 'a'],
    ['--help'],
    ['nope'],
  ]) {
    const { stdout, stderr } = desk.carrel.runWith(
      { TERM: 'xterm', FORCE_COLOR: '1' },
      desk.repository,
      ...args,
    );
    expect(stdout + stderr).not.toContain(ESCAPE);
  }
});

test('colour on a terminal, and none with NO_COLOR or on a dumb one', context => {
  const desk = makeDesk();
  expect(onTerminal(context, desk, '', {}, 'doctor').shown).toContain(ESCAPE);
  expect(onTerminal(context, desk, '', {}, 'nope').shown).toContain(ESCAPE);
  expect(onTerminal(context, desk, '', { NO_COLOR: '1' }, 'doctor').shown).not.toContain(ESCAPE);
  expect(onTerminal(context, desk, '', { TERM: 'dumb' }, 'doctor').shown).not.toContain(ESCAPE);
});

test('a question is asked on a terminal only', context => {
  const desk = makeDesk();
  writeFiles(desk.repository, { '.carrel/config.yaml': 'workspace:\n  setup: ["echo hi"]\n' });
  expect(desk.carrel.error(desk.repository, 'trust')).toMatchObject({
    status: 2,
    code: 'CONFIRMATION_NEEDED',
    message: 'approve 1 command(s): this needs a yes, and there is no terminal to ask on',
    hint: 'look first, then say yes with --yes',
  });
  const no = onTerminal(context, desk, 'n\n', {}, 'trust');
  expect(no.status).toBe(3);
  expect(no.shown).toContain('echo hi');
  expect(no.shown).toContain('nothing was approved');
  const yes = onTerminal(context, desk, 'y\n', {}, 'trust');
  expect(yes.status).toBe(0);
  expect(desk.carrel.json(desk.repository, 'trust', '--list')).toMatchObject({ trusted: true });
});

test('a reader that goes away early is no failure', () => {
  const desk = makeDesk();
  writeFiles(desk.path, { 'large.txt': 'a line of text\n'.repeat(200_000) });
  const carrel = `'${process.execPath}' '${BINARY}'`;
  const head = (command: string) =>
    spawnSync('bash', ['-c', `${carrel} ${command} | head -1; echo "status \${PIPESTATUS[0]}"`], {
      cwd: desk.repository,
      env: desk.carrel.env,
      encoding: 'utf8',
    });
  expect(head('ls')).toMatchObject({ stdout: expect.stringMatching(/^NAME .*\nstatus 0\n$/), stderr: '' });
  const { stdout, stderr } = head('diff a');
  expect({ stdout, stderr }).toEqual({
    stdout: 'diff --git a/large.txt b/large.txt\nstatus 0\n',
    stderr: '',
  });
});

const completers = {
  bash: `source <(carrel completion bash); COMP_WORDS=(carrel down ''); COMP_CWORD=2; _carrel; printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: `carrel completion fish | source; complete -C 'carrel down '`,
};

test('a shell in a sandbox has a terminal, and gives its status', context => {
  requireBubblewrap(context);
  const desk = makeDesk({ up: ['--isolation', 'full', '--strict'] });
  const { shown, status } = onTerminal(context, desk, 'tty && echo $((40 + 2))\nexit 3\n', {}, 'shell', 'a');
  expect(shown).toMatch(/\/dev\/pts\/\d+\s+42/);
  expect(shown).not.toContain('process group');
  expect(status).toBe(3);
});

test.for(Object.entries(completers))('%s completes the names of workspaces', ([shell, script], context) => {
  requirePart(context, spawnSync(shell, ['-c', 'exit 0']).status === 0, shell);
  const desk = makeDesk();
  desk.ok('up', 'beta');
  const bin = tempDir();
  writeFileSync(join(bin, 'carrel'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { ...desk.carrel.env, PATH: `${bin}:${process.env.PATH}` };
  const { stdout } = spawnSync(shell, ['-c', script], { cwd: desk.repository, env, encoding: 'utf8' });
  expect(stdout.trim().split(/\s+/).sort()).toEqual(['a', 'beta']);
});

test('zsh takes the completion script', context => {
  requirePart(context, spawnSync('zsh', ['-c', 'exit 0']).status === 0, 'zsh');
  const desk = makeDesk();
  const file = join(tempDir(), '_carrel');
  writeFileSync(file, desk.ok('completion', 'zsh'));
  expect(spawnSync('zsh', ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

test('the command works through a symbolic link, as npm installs it', () => {
  const desk = makeDesk();
  const bin = join(tempDir(), 'bin');
  mkdirSync(bin);
  symlinkSync(BINARY, join(bin, 'carrel'));
  const { stdout } = spawnSync(join(bin, 'carrel'), ['path', 'a'], {
    cwd: desk.repository,
    env: desk.carrel.env,
    encoding: 'utf8',
  });
  expect(stdout).toBe(`${desk.path}\n`);
});
