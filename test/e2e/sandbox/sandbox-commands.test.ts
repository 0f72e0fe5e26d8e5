import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, type TestContext, test } from 'vitest';
import type { ExecResult } from '../../../src/domain/report/result.js';
import { identifyProcess } from '../../../src/exec/process/identify-process.js';
import { BINARY, createCarrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { makeRepository } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { waitForPid } from '../../helpers/wait-for.js';
import { type Fixture, makeFixture } from '../../helpers/workspace/test-workspace.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';
import { requirePart } from '../../parts/required-part.js';

// How a command in a sandbox is connected to its caller.

beforeEach(requireBubblewrap);

const makeFull = (config = ''): Fixture =>
  makeFixture({
    up: ['--isolation', 'full', '--strict'],
    config: `sandbox:\n  runtime: bubblewrap\n${config}`,
  });

const inside = (fixture: Fixture, script: string) => fixture.run('exec', 'a', '--', 'sh', '-c', script);

/** Types a line on a pseudo-terminal, where `carrel` is the real command; what the terminal shows. */
function onTerminal(context: TestContext, fixture: Fixture, line: string): string {
  const file = join(tempDir(), 'line.sh');
  writeFileSync(file, `carrel() { "${process.execPath}" "${BINARY}" "$@"; }\n${line}\n`);
  const call = spawnSync('script', ['--quiet', '--return', '--command', `sh ${file}`, '/dev/null'], {
    cwd: fixture.repository,
    timeout: 30_000,
    env: { ...fixture.carrel.env, TERM: 'xterm' },
    input: '',
    encoding: 'utf8',
  });
  requirePart(context, call.error === undefined, 'script(1)');
  return call.stdout.replaceAll('\r\n', '\n');
}

const ESCAPE = '\u001b';
const OSC = String.raw`\033]52;c;aGVsbG8=\007`;

test('standard input that is not a terminal is passed on, even if the output is a terminal', context => {
  const fixture = makeFull();
  expect(onTerminal(context, fixture, `echo hello | carrel exec a -- sh -c 'cat; echo done'`)).toBe(
    'hello\ndone\n',
  );
  const file = join(tempDir(), 'input');
  writeFileSync(file, 'from a file\n');
  expect(onTerminal(context, fixture, `carrel exec a -- cat < ${file}`)).toBe('from a file\n');
});

test('a file passed as standard input cannot be written from inside', () => {
  const fixture = makeFull();
  const file = join(tempDir(), 'input');
  writeFileSync(file, 'mine\n');
  const line = `carrel exec a -- sh -c 'cat; echo theirs > /proc/self/fd/0' < ${file}`;
  expect(fixture.type(fixture.repository, line).stdout).toBe('mine\n');
  expect(readFileSync(file, 'utf8')).toBe('mine\n');
});

test.for([
  ['standard error', `printf '${OSC}' >&2`],
  ['standard input', `printf '${OSC}' >&0`],
])(
  'what steers a terminal does not reach it by %s when standard output is redirected',
  ([, print], context) => {
    const fixture = makeFull();
    const file = join(tempDir(), 'output');
    const script = join(fixture.path, 'script.sh');
    writeFileSync(script, `${print}\necho shown >&2; printf '\\000\\033[2J'`);
    const shown = onTerminal(context, fixture, `carrel exec a -- sh script.sh > ${file}`);
    expect(shown).toContain('shown\n');
    expect(shown).not.toContain(ESCAPE);
    // A file is no terminal: it gets every byte.
    expect(readFileSync(file, 'latin1')).toBe(`\0${ESCAPE}[2J`);
  },
);

test('when its reader exits, the command exits, as without a sandbox', context => {
  const fixture = makeFull();
  expect(onTerminal(context, fixture, 'carrel exec a -- yes | head -1')).toBe('y\n');
});

thoroughTest('both outputs into one file stay in order', () => {
  const fixture = makeFull();
  const file = join(tempDir(), 'log');
  const script = 'for n in 1 2 3; do echo out $n; echo err $n >&2; done';
  fixture.type(fixture.repository, `carrel exec a -- sh -c '${script}' > ${file} 2>&1`);
  expect(readFileSync(file, 'utf8')).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n');
});

thoroughTest('commands at the same time after a commit outside all see it', async () => {
  const fixture = makeFull();
  fixture.git('commit', '-q', '--allow-empty', '-m', 'outside');
  const script = ['exec', 'a', '--', 'git', 'log', '-1', '--format=%s'];
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => fixture.carrel.start(fixture.repository, ...script)),
  );
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 0, stdout: 'outside\n', stderr: '' });
});

thoroughTest('landing with a message stops when it is interrupted, and can be repeated', async () => {
  const fixture = makeFull();
  const hook = 'echo $$ > hook.log; [ -e go.log ] || sleep 600';
  inside(fixture, `d=$(git rev-parse --git-path hooks); mkdir -p $d; cd $d; echo '${hook}' > pre-commit`);
  inside(
    fixture,
    'chmod +x $(git rev-parse --git-path hooks)/pre-commit; sed -i "1i #!/bin/sh" $(git rev-parse --git-path hooks)/pre-commit; echo new > new.txt',
  );
  const running = fixture.carrel.start(fixture.repository, 'land', 'a', '-m', 'all', '--json');
  await waitForPid(join(fixture.path, 'hook.log'));
  running.child.kill('SIGINT');
  const outcome = await running;
  expect(outcome.status).toBe(130);
  expect(JSON.parse(outcome.stdout)).toMatchObject({ error: { code: 'INTERRUPTED' } });
  inside(fixture, 'touch go.log');
  fixture.ok('land', 'a', '-m', 'all');
});

thoroughTest(
  "the editor is the user's own, outside, and does not start in a directory that the agent writes",
  () => {
    const fixture = makeFull();
    const told = join(tempDir(), 'told');
    const editor = join(tempDir(), 'editor.sh');
    writeFileSync(editor, `#!/bin/sh\necho "$1 $PWD $HOME" > ${told}\n`, { mode: 0o755 });
    const { status, stderr } = fixture.run('open', 'a', '--with', editor);
    expect(status).toBe(0);
    expect(stderr).toContain('were written in a sandbox');
    expect(readFileSync(told, 'utf8')).toBe(`${fixture.path} ${fixture.repository} ${fixture.carrel.home}\n`);
  },
);

thoroughTest(
  "the JSON output names the limit that was reached, and the exit status is the command's own",
  () => {
    const fixture = makeFull('workspace:\n  container:\n    resourceLimits: { fileSize: 1m, time: 5s }\n');
    const run = (script: string) =>
      JSON.parse(fixture.run('exec', 'a', '--json', '--', 'sh', '-c', script).stdout) as ExecResult;
    expect(run('exec head -c 2M /dev/zero > large.log')).toMatchObject({ limit: 'fileSize' });
    expect(run('true')).not.toHaveProperty('limit');
    const { stdout } = fixture.run('exec', 'a', '--json', '--', 'sleep', '600');
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'COMMAND_TIMED_OUT',
      hint: expect.stringContaining('resourceLimits.time'),
    });
  },
);

thoroughTest('the JSON output reports that the sandbox was killed', async () => {
  const fixture = makeFull();
  const running = fixture.carrel.start(
    fixture.repository,
    'exec',
    'a',
    '--json',
    '--',
    'sh',
    '-c',
    'echo $$ > pid.log; exec sleep 600',
  );
  await waitForPid(join(fixture.path, 'pid.log'));
  const children = readFileSync(`/proc/${running.child.pid}/task/${running.child.pid}/children`, 'utf8');
  const bubblewrap = Number(children.trim().split(' ')[0]);
  expect(identifyProcess(bubblewrap)).toBeDefined();
  process.kill(bubblewrap, 'SIGKILL');
  expect(JSON.parse((await running).stdout)).toMatchObject({ sandboxDied: true });
});

thoroughTest('a file that git inside ignores stops landing with the way to commit it', () => {
  const fixture = makeFull();
  inside(fixture, 'echo hidden > hidden.txt; echo hidden.txt >> $(git rev-parse --git-path info/exclude)');
  inside(fixture, 'git commit -q --allow-empty -m inside');
  expect(fixture.carrel.error(fixture.repository, 'land', 'a', '-m', 'all')).toMatchObject({
    code: 'LAND_UNCOMMITTED',
    hint: expect.stringContaining('carrel exec a -- git add --force'),
  });
});

thoroughTest('commits on both sides stop landing with the way to bring them together', async () => {
  const fixture = makeFull();
  const script =
    'echo $$ > pid.log; until [ -e go.log ]; do sleep 0.05; done; git commit -q --allow-empty -m in';
  const running = fixture.carrel.start(fixture.repository, 'exec', 'a', '--', 'sh', '-c', script);
  await waitForPid(join(fixture.path, 'pid.log'));
  fixture.git('commit', '-q', '--allow-empty', '-m', 'outside');
  writeFileSync(join(fixture.path, 'go.log'), '');
  expect((await running).stderr).toContain('commits from outside the sandbox');
  const { code, hint } = fixture.carrel.error(fixture.repository, 'land', 'a');
  const merge = 'carrel exec a -- git merge origin/carrel/a';
  expect({ code, hint }).toEqual({ code: 'TAKE_BACK_REFUSED', hint: expect.stringContaining(merge) });
  fixture.ok('exec', 'a', '--', 'git', 'merge', '-q', 'origin/carrel/a');
  expect(fixture.ok('land', 'a')).toMatch(/^[0-9a-f]{40}$/);
});

thoroughTest('a repository that is created inside has a committer', () => {
  const fixture = makeFull();
  const script =
    'git init -q /tmp/other; cd /tmp/other; git commit -q --allow-empty -m one; git log --format=%an';
  expect(inside(fixture, script)).toMatchObject({
    status: 0,
    stdout: `${fixture.git('log', '-1', '--format=%an')}\n`,
  });
});

thoroughTest('a doctor that is killed while it tries a sandbox leaves nothing for long', async () => {
  const carrel = createCarrel();
  const repository = makeRepository();
  const running = carrel.start(repository, 'doctor');
  const findTrials = () => (listTree(carrel.stateDir) ?? []).filter(isTrial);
  // It is there for some tens of milliseconds.
  for (; findTrials().length === 0; await setImmediate()) expect(running.child.exitCode).toBeNull();
  expect(findTrials().map(dirname)).not.toContain('sandboxes');
  running.child.kill('SIGKILL');
  await running;
  carrel.ok(repository, 'ls');
  expect(findTrials()).toEqual([]);
});

/** Undefined when a part of it was removed meanwhile. */
function listTree(directory: string): string[] | undefined {
  try {
    return readdirSync(directory, { recursive: true }) as string[];
  } catch {
    return undefined;
  }
}

const isTrial = (path: string): boolean => /(^|\/)sandboxes\/ws_\w+$/.test(path);
