import { expect, it } from 'vitest';
import { listenForInterruption } from './exit/interruption.js';
import { runCommandLine } from './run-command-line.js';
import { createOutput } from './terminal/output.js';

/** Calls that stop before they open Carrel. */
async function run(...argv: string[]) {
  const written = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string | Buffer) => (written[name] += String(text)),
  });
  const exitCode = await runCommandLine(argv, {
    environment: {},
    currentDirectory: () => '/',
    output: createOutput(sink('stdout'), sink('stderr'), {}),
    interruption: listenForInterruption({ listen: () => {}, exit: () => {}, narrate: () => {} }),
    isInteractive: false,
  });
  return { exitCode, ...written };
}

it('prints requested help on stdout', async () => {
  const root = await run('--help');
  expect(root).toMatchObject({ exitCode: 0, stderr: '' });
  expect(root.stdout).toMatch(/\n {2}ls, ps +List the workspaces/);
  expect(root.stdout).not.toContain('completion-names');
  expect(await run('up', '--help')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Usage: carrel up [options] [name]'),
  });
  expect(await run('help', 'worktrees')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('worktrees cleanup'),
  });
});

it('prints help on stderr and fails for an incomplete call', async () => {
  expect(await run()).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('Usage: carrel COMMAND'),
  });
  expect(await run('config')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('config show'),
  });
});

it('reports a wrong call in one sentence, with a suggestion', async () => {
  expect(await run('dwon')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'carrel: there is no command "dwon"\nhint: did you mean: carrel down\n',
  });
  expect((await run('merge', 'x')).stderr).toContain('hint: did you mean: carrel land');
  expect(await run('up', '--isolaton', 'full')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: "carrel: unknown option '--isolaton'\nhint: did you mean --isolation?\n",
  });
  expect((await run('show')).stderr).toBe(
    "carrel: missing required argument 'workspace'\nhint: see: carrel show --help\n",
  );
  expect((await run('show', 'a', 'b')).exitCode).toBe(2);
  expect((await run('up', '--branch')).exitCode).toBe(2);
});

it('refuses a word that an option does not take, with the list and the nearest one', async () => {
  expect(await run('pool', 'warm', '--kind', 'overlai')).toMatchObject({
    exitCode: 2,
    stderr: 'carrel: --kind is "overlai"; expected one of checkout, overlay\nhint: did you mean overlay?\n',
  });
  expect(await run('completion', 'powershell')).toMatchObject({
    exitCode: 2,
    stderr:
      'carrel: the argument shell is "powershell"; expected one of bash, zsh, fish\nhint: see: carrel completion --help\n',
  });
});

it('has one vocabulary for --isolation: a word of another command is explained by the nearest one', async () => {
  const refuse = async (...words: string[]) => (await run(...words)).stderr;
  expect(await refuse('up', '--isolation', 'docker')).toBe(
    'carrel: --isolation is "docker"; expected one of full, worktree, shared\n' +
      'hint: the nearest is full: a worktree, with a sandbox around its commands\n',
  );
  expect(await refuse('run', 'x', '--isolation', 'none')).toContain(
    'hint: the nearest is shared: your checkout itself; commands run as you\n',
  );
  expect(await refuse('eval', 'run', '--dataset', 'golden', '--isolation', 'shared')).toBe(
    'carrel: --isolation is "shared"; expected one of worktree, docker, full, none\n' +
      'hint: the nearest is none: a plain copy; commands run as you\n',
  );
  expect(await refuse('eval', 'check', '--dataset', 'golden', '--isolation', 'container')).toContain(
    'hint: the nearest is docker: full in a container, with the image of the task\n',
  );
  expect(await refuse('up', '--isolation', 'worktre')).toContain(
    'hint: the nearest is worktree: a worktree; commands run as you\n',
  );
});

it('refuses options that exclude each other and invalid quantities', async () => {
  expect((await run('land', 'a', '--squash', '--rebase')).stderr).toContain(
    "--squash, --rebase can't be combined",
  );
  expect((await run('diff', 'a', '--stat', '--name-only')).exitCode).toBe(2);
  expect((await run('up', 'a', '--repo', 'x', '--copy', 'y')).stderr).toContain(
    "--repo, --copy can't be combined",
  );
  expect((await run('exec', 'a', '--timeout', 'soon', '--', 'ls')).stderr).toContain(
    '"soon" is not a duration',
  );
  expect((await run('gc', '--older-than', '7')).exitCode).toBe(2);
  expect((await run('run', 'x', '--timeout', 'soon')).stderr).toContain('"soon" is not a duration');
  expect((await run('run', 'x', '--cost-limit', '0')).stderr).toContain(
    '--cost-limit is "0"; expected an amount above 0',
  );
  expect((await run('run', 'x', '--token-limit', '1.5')).stderr).toContain(
    '--token-limit is "1.5"; expected a whole number above 0',
  );
  expect((await run('eval', 'run', '--dataset', 'golden', '--parallelism', '0')).stderr).toContain(
    '--parallelism is "0"; expected a whole number above 0',
  );
  expect((await run('run', 'x', '--priority', 'high')).stderr).toContain(
    '--priority is "high"; expected a whole number',
  );
});

it('reports a wrong call as JSON with --json', async () => {
  const { exitCode, stdout, stderr } = await run('show', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'BAD_USAGE', kind: 'user' } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: '' });
  expect(JSON.parse((await run('--json', 'shwo')).stdout).error.code).toBe('UNKNOWN_COMMAND');
});

it('does not parse the options of the command to run as its own', async () => {
  expect((await run('exec', 'a', '--frobnicate', 'ls')).stderr).toContain("unknown option '--frobnicate'");
  const afterTheCommand = await run('exec', 'a', '--timeout', 'x', 'ls', '--json', '--frobnicate');
  expect(afterTheCommand).toMatchObject({
    stdout: '',
    stderr: expect.stringContaining('"x" is not a duration'),
  });
});

it('lists and prints schemas', async () => {
  expect((await run('schema')).stdout.split('\n')).toContain('workspace');
  expect(JSON.parse((await run('schema', '--json')).stdout)).toContain('workspace');
  expect(JSON.parse((await run('schema', 'workspace')).stdout)).toMatchObject({
    title: 'Workspace',
    type: 'object',
  });
  expect(await run('schema', 'workspce')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('hint: carrel schema workspace\n'),
  });
});

it('prints completion scripts', async () => {
  expect((await run('completion', 'bash')).stdout).toContain('complete -F _carrel carrel\n');
  expect(JSON.parse((await run('completion', 'fish', '--json')).stdout)).toMatchObject({ shell: 'fish' });
  expect((await run('completion', 'tcsh')).exitCode).toBe(2);
});
