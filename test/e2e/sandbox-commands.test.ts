import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, type TestContext, test } from 'vitest';
import type { ExecResult } from '../../src/domain/result.js';
import { identifyProcess } from '../../src/exec/process-identity.js';
import { BINARY } from '../helpers/carrel.js';
import { type Desk, makeDesk } from '../helpers/desk.js';
import { thoroughTest } from '../helpers/flavours.js';
import { requirePart } from '../helpers/required-part.js';
import { requireBubblewrap } from '../helpers/sandboxed.js';
import { tempDir } from '../helpers/temp.js';
import { waitForPid } from '../helpers/wait-for.js';

// How a command in a sandbox is connected to whoever runs it.

beforeEach(requireBubblewrap);

const makeFull = (config = ''): Desk =>
  makeDesk({
    up: ['--isolation', 'full', '--strict'],
    config: `sandbox:\n  runtime: bubblewrap\n${config}`,
  });

const inside = (desk: Desk, script: string) => desk.run('exec', 'a', '--', 'sh', '-c', script);

/** Types a line on a pseudo-terminal, where `carrel` is the real command; what the terminal shows. */
function onTerminal(context: TestContext, desk: Desk, line: string): string {
  const file = join(tempDir(), 'line.sh');
  writeFileSync(file, `carrel() { "${process.execPath}" "${BINARY}" "$@"; }\n${line}\n`);
  const call = spawnSync('script', ['--quiet', '--return', '--command', `sh ${file}`, '/dev/null'], {
    cwd: desk.repository,
    timeout: 30_000,
    env: { ...desk.carrel.env, TERM: 'xterm' },
    input: '',
    encoding: 'utf8',
  });
  requirePart(context, call.error === undefined, 'script(1), which makes a terminal');
  return call.stdout.replaceAll('\r\n', '\n');
}

const ESCAPE = '\u001b';
const OSC = String.raw`\033]52;c;aGVsbG8=\007`;

test('standard input that is no terminal is handed over, also when the output goes to one', context => {
  const desk = makeFull();
  expect(onTerminal(context, desk, `echo hello | carrel exec a -- sh -c 'cat; echo done'`)).toBe(
    'hello\ndone\n',
  );
  const file = join(tempDir(), 'input');
  writeFileSync(file, 'from a file\n');
  expect(onTerminal(context, desk, `carrel exec a -- cat < ${file}`)).toBe('from a file\n');
});

test('a file that is handed over as standard input can not be written from inside', () => {
  const desk = makeFull();
  const file = join(tempDir(), 'input');
  writeFileSync(file, 'mine\n');
  const line = `carrel exec a -- sh -c 'cat; echo theirs > /proc/self/fd/0' < ${file}`;
  expect(desk.type(desk.repository, line).stdout).toBe('mine\n');
  expect(readFileSync(file, 'utf8')).toBe('mine\n');
});

test.for([
  ['standard error', `printf '${OSC}' >&2`],
  ['standard input', `printf '${OSC}' >&0`],
])(
  'what steers a terminal does not reach it by %s when standard output is redirected',
  ([, print], context) => {
    const desk = makeFull();
    const file = join(tempDir(), 'output');
    const script = join(desk.path, 'script.sh');
    writeFileSync(script, `${print}\necho shown >&2; printf '\\000\\033[2J'`);
    const shown = onTerminal(context, desk, `carrel exec a -- sh script.sh > ${file}`);
    expect(shown).toContain('shown\n');
    expect(shown).not.toContain(ESCAPE);
    // A file is no terminal: it gets every byte.
    expect(readFileSync(file, 'latin1')).toBe(`\0${ESCAPE}[2J`);
  },
);

test('a reader that goes away ends the command, as without a sandbox', context => {
  const desk = makeFull();
  expect(onTerminal(context, desk, 'carrel exec a -- yes | head -1')).toBe('y\n');
});

thoroughTest('both outputs into one file stay in order', () => {
  const desk = makeFull();
  const file = join(tempDir(), 'log');
  const script = 'for n in 1 2 3; do echo out $n; echo err $n >&2; done';
  desk.type(desk.repository, `carrel exec a -- sh -c '${script}' > ${file} 2>&1`);
  expect(readFileSync(file, 'utf8')).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n');
});

test('commands at the same time after a commit outside all see it', async () => {
  const desk = makeFull();
  desk.git('commit', '-q', '--allow-empty', '-m', 'outside');
  const script = ['exec', 'a', '--', 'git', 'log', '-1', '--format=%s'];
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => desk.carrel.start(desk.repository, ...script)),
  );
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 0, stdout: 'outside\n', stderr: '' });
});

thoroughTest(
  'landing with a message comes to an end when it is interrupted, and can be repeated',
  async () => {
    const desk = makeFull();
    const hook = 'echo $$ > hook.log; [ -e go.log ] || sleep 600';
    inside(desk, `d=$(git rev-parse --git-path hooks); mkdir -p $d; cd $d; echo '${hook}' > pre-commit`);
    inside(
      desk,
      'chmod +x $(git rev-parse --git-path hooks)/pre-commit; sed -i "1i #!/bin/sh" $(git rev-parse --git-path hooks)/pre-commit; echo new > new.txt',
    );
    const running = desk.carrel.start(desk.repository, 'land', 'a', '-m', 'all', '--json');
    await waitForPid(join(desk.path, 'hook.log'));
    running.child.kill('SIGINT');
    const outcome = await running;
    expect(outcome.status).toBe(130);
    expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { code: 'INTERRUPTED' } });
    inside(desk, 'touch go.log');
    desk.ok('land', 'a', '-m', 'all');
  },
);

test("the editor is the user's own, outside, and does not start in a directory that the agent writes", () => {
  const desk = makeFull();
  const told = join(tempDir(), 'told');
  const editor = join(tempDir(), 'editor.sh');
  writeFileSync(editor, `#!/bin/sh\necho "$1 $PWD $HOME" > ${told}\n`, { mode: 0o755 });
  const { status, stderr } = desk.run('open', 'a', '--with', editor);
  expect(status).toBe(0);
  expect(stderr).toContain('were written in a sandbox');
  expect(readFileSync(told, 'utf8')).toBe(`${desk.path} ${desk.repository} ${desk.carrel.home}\n`);
});

thoroughTest(
  "the answer in JSON tells which limit was run into, and the exit status is the command's own",
  () => {
    const desk = makeFull('workspace:\n  container:\n    resourceLimits: { fileSize: 1m, time: 5s }\n');
    const run = (script: string) =>
      JSON.parse(desk.run('exec', 'a', '--json', '--', 'sh', '-c', script).stdout) as ExecResult;
    expect(run('exec head -c 2M /dev/zero > large.log')).toMatchObject({ limit: 'fileSize' });
    expect(run('true')).not.toHaveProperty('limit');
    const { stdout } = desk.run('exec', 'a', '--json', '--', 'sleep', '600');
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'COMMAND_TIMED_OUT',
      hint: expect.stringContaining('resourceLimits.time'),
    });
  },
);

test('that the sandbox was killed is told in JSON', async () => {
  const desk = makeFull();
  const running = desk.carrel.start(
    desk.repository,
    'exec',
    'a',
    '--json',
    '--',
    'sh',
    '-c',
    'echo $$ > pid.log; exec sleep 600',
  );
  await waitForPid(join(desk.path, 'pid.log'));
  const children = readFileSync(`/proc/${running.child.pid}/task/${running.child.pid}/children`, 'utf8');
  const bubblewrap = Number(children.trim().split(' ')[0]);
  expect(identifyProcess(bubblewrap)).toBeDefined();
  process.kill(bubblewrap, 'SIGKILL');
  expect(JSON.parse((await running).stdout)).toMatchObject({ sandboxDied: true });
});

thoroughTest('a file that git inside ignores stops landing with the way to commit it', () => {
  const desk = makeFull();
  inside(desk, 'echo hidden > hidden.txt; echo hidden.txt >> $(git rev-parse --git-path info/exclude)');
  inside(desk, 'git commit -q --allow-empty -m inside');
  expect(desk.carrel.error(desk.repository, 'land', 'a', '-m', 'all')).toMatchObject({
    code: 'LAND_UNCOMMITTED',
    hint: expect.stringContaining('carrel exec a -- git add --force'),
  });
});

test('commits on both sides stop landing with the way to bring them together', async () => {
  const desk = makeFull();
  const script =
    'echo $$ > pid.log; until [ -e go.log ]; do sleep 0.05; done; git commit -q --allow-empty -m in';
  const running = desk.carrel.start(desk.repository, 'exec', 'a', '--', 'sh', '-c', script);
  await waitForPid(join(desk.path, 'pid.log'));
  desk.git('commit', '-q', '--allow-empty', '-m', 'outside');
  writeFileSync(join(desk.path, 'go.log'), '');
  expect((await running).stderr).toContain('made outside');
  const { code, hint } = desk.carrel.error(desk.repository, 'land', 'a');
  const merge = 'carrel exec a -- git merge origin/carrel/a';
  expect({ code, hint }).toEqual({ code: 'TAKE_BACK_REFUSED', hint: expect.stringContaining(merge) });
  desk.ok('exec', 'a', '--', 'git', 'merge', '-q', 'origin/carrel/a');
  expect(desk.ok('land', 'a')).toMatch(/^[0-9a-f]{40}$/);
});

thoroughTest('a repository that is made inside knows who commits', () => {
  const desk = makeFull();
  const script =
    'git init -q /tmp/other; cd /tmp/other; git commit -q --allow-empty -m one; git log --format=%an';
  expect(inside(desk, script)).toMatchObject({
    status: 0,
    stdout: `${desk.git('log', '-1', '--format=%an')}\n`,
  });
});
