import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { BINARY } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';
import type { PartName } from '../../parts/parts.js';
import { needProgram, requirePart, requireProgram } from '../../parts/required-part.js';

// Output on a terminal, and without one.

/** Runs it on a pseudo-terminal, with `input` typed; what the terminal shows. */
function onTerminal(
  context: TestContext,
  fixture: Fixture,
  input: string,
  env: Record<string, string>,
  ...args: string[]
) {
  const words = [process.execPath, BINARY, ...args].map(word => `'${word}'`).join(' ');
  const call = spawnSync('script', ['--quiet', '--return', '--command', words, '/dev/null'], {
    cwd: fixture.repository,
    env: { ...fixture.carrel.env, TERM: 'xterm', ...env },
    input,
    encoding: 'utf8',
  });
  requirePart(context, call.error === undefined, 'script(1)');
  return { status: call.status, shown: call.stdout };
}

const ESCAPE = '\u001b[';

test('no colour in a pipe', () => {
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'new.txt': 'x\n' });
  for (const args of [['ls'], ['show', 'a'], ['diff', 'a'], ['down', 'a'], ['--help'], ['nope']]) {
    const { stdout, stderr } = fixture.carrel.runWith(
      { TERM: 'xterm', FORCE_COLOR: '1' },
      fixture.repository,
      ...args,
    );
    expect(stdout + stderr).not.toContain(ESCAPE);
  }
});

thoroughTest('colour on a terminal, and none with NO_COLOR or on a dumb one', context => {
  const fixture = makeFixture();
  expect(onTerminal(context, fixture, '', {}, 'nope').shown).toContain(ESCAPE);
  expect(onTerminal(context, fixture, '', { NO_COLOR: '1' }, 'nope').shown).not.toContain(ESCAPE);
  expect(onTerminal(context, fixture, '', { TERM: 'dumb' }, 'nope').shown).not.toContain(ESCAPE);
});

test('a terminal shows what is in files and names as escapes, and a pipe gets every byte', context => {
  const fixture = makeFixture();
  const clipboard = '\u001b]52;c;ZXZpbA==\u0007';
  const content = `${clipboard}\u001b[2J\u009b31m gpj.\u202etxt\r\n`;
  const name = 'new\u202egpj.\u009bm.txt';
  writeFiles(fixture.path, { [name]: content });
  const steering = /[^\P{Cc}\r\n]|\p{Cf}/u;
  const patch = onTerminal(context, fixture, '', { NO_COLOR: '1' }, 'diff', 'a').shown;
  expect(patch).not.toMatch(steering);
  expect(patch).toContain('+\\x1b]52;c;ZXZpbA==\\x07\\x1b[2J\\x9b31m gpj.\\u{202e}txt\\r\r\n');
  const json = onTerminal(context, fixture, '', {}, 'diff', 'a', '--json').shown;
  expect(json).not.toMatch(steering);
  expect(JSON.parse(json).diff).toContain(`+${content}`);
  expect(onTerminal(context, fixture, '', { NO_COLOR: '1' }, 'down', 'a').shown).not.toMatch(steering);
  expect(fixture.carrel.run(fixture.repository, 'diff', 'a').stdout).toContain(`+${content}`);
});

thoroughTest('a question is asked on a terminal only', context => {
  const fixture = makeFixture();
  writeFiles(fixture.repository, { '.carrel/config.yaml': 'workspace:\n  setup: ["echo hi"]\n' });
  expect(fixture.carrel.error(fixture.repository, 'trust')).toMatchObject({
    status: 2,
    code: 'CONFIRMATION_NEEDED',
    message: 'approve 1 command: this needs confirmation and there is no terminal; pass --yes',
    hint: 'review it, then run the command again with --yes',
  });
  const no = onTerminal(context, fixture, 'n\n', {}, 'trust');
  expect(no.status).toBe(3);
  expect(no.shown).toContain('echo hi');
  expect(no.shown).toContain('nothing was approved');
  const yes = onTerminal(context, fixture, 'y\n', {}, 'trust');
  expect(yes.status).toBe(0);
  expect(fixture.carrel.json(fixture.repository, 'trust', '--list')).toMatchObject({ trusted: true });
});

test('a reader that exits early is not a failure', () => {
  needProgram('bash');
  const fixture = makeFixture();
  writeFiles(fixture.path, { 'large.txt': 'a line of text\n'.repeat(200_000) });
  const carrel = `'${process.execPath}' '${BINARY}'`;
  const head = (command: string) =>
    spawnSync('bash', ['-c', `${carrel} ${command} | head -1; echo "status \${PIPESTATUS[0]}"`], {
      cwd: fixture.repository,
      env: fixture.carrel.env,
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

test('a shell in a sandbox has a terminal, and returns its exit status', context => {
  requireBubblewrap(context);
  const fixture = makeFixture({ up: ['--isolation', 'full', '--strict'] });
  const { shown, status } = onTerminal(
    context,
    fixture,
    'tty && echo $((40 + 2))\nexit 3\n',
    {},
    'shell',
    'a',
  );
  expect(shown).toMatch(/\/dev\/pts\/\d+\s+42/);
  expect(shown).not.toContain('process group');
  expect(status).toBe(3);
});

test.for(Object.entries(completers))('%s completes the names of workspaces', ([shell, script], context) => {
  requireProgram(context, shell as PartName);
  const fixture = makeFixture();
  fixture.ok('up', 'beta');
  const bin = tempDir();
  writeFileSync(join(bin, 'carrel'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { ...fixture.carrel.env, PATH: `${bin}:${process.env.PATH}` };
  const { stdout } = spawnSync(shell, ['-c', script], { cwd: fixture.repository, env, encoding: 'utf8' });
  expect(stdout.trim().split(/\s+/).sort()).toEqual(['a', 'beta']);
});

test('zsh accepts the completion script', context => {
  requireProgram(context, 'zsh');
  const fixture = makeFixture();
  const file = join(tempDir(), '_carrel');
  writeFileSync(file, fixture.ok('completion', 'zsh'));
  expect(spawnSync('zsh', ['-n', file], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});

test('the command works through a symbolic link, as npm installs it', () => {
  const fixture = makeFixture();
  const bin = join(tempDir(), 'bin');
  mkdirSync(bin);
  symlinkSync(BINARY, join(bin, 'carrel'));
  const { stdout } = spawnSync(join(bin, 'carrel'), ['path', 'a'], {
    cwd: fixture.repository,
    env: fixture.carrel.env,
    encoding: 'utf8',
  });
  expect(stdout).toBe(`${fixture.path}\n`);
});
