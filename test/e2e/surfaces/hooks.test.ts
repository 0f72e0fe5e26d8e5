import { spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Workspace } from '../../../src/domain/workspace/workspace.js';
import { requireAgentProgram } from '../../helpers/agent/agent-programs.js';
import { BINARY, type Carrel } from '../../helpers/carrel.js';
import { thoroughTest } from '../../helpers/flavours.js';
import { startModelServer } from '../../helpers/model-server/server.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { createTidyCarrel } from '../../helpers/workspace/test-workspace.js';

// The hooks that Claude Code calls for its worktrees, and how agents learn about Carrel: with the real binary and programs.

/** Calls a hook as Claude Code does: from anywhere, with JSON on standard input. */
function callHook(carrel: Carrel, args: readonly string[], input: unknown) {
  const written = typeof input === 'string' ? input : JSON.stringify(input);
  const options = { cwd: '/', env: carrel.env, input: written, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'hook', ...args], options);
  return { status, stdout, stderr };
}

const session = { session_id: 's', transcript_path: '/none', hook_event_name: 'WorktreeCreate' };

test('worktree-create prints only the path of a workspace, and the same one when repeated', () => {
  const [carrel, cwd] = [createTidyCarrel(), makeRepository()];
  const input = { ...session, cwd, name: 'bright fox', unheard_of: [1] };
  const first = callHook(carrel, ['worktree-create'], input);
  const [workspace] = carrel.json<Workspace[]>(cwd, 'ls');
  expect(first).toMatchObject({ status: 0, stdout: `${workspace?.path}\n` });
  expect(workspace).toMatchObject({
    name: expect.stringMatching(/^bright-fox-/),
    isolation: { effective: 'worktree' },
  });
  expect(callHook(carrel, ['worktree-create'], input)).toMatchObject({ status: 0, stdout: first.stdout });
  const inside = { ...session, cwd: workspace?.path, worktree_name: 'bright fox' };
  expect(callHook(carrel, ['worktree-create'], inside).stdout).toBe(first.stdout);
  expect(callHook(carrel, ['worktree-create'], { ...inside, worktree_name: 'sub' }).status).toBe(0);
});

thoroughTest(
  'worktree-create refuses when a sandbox is requested, unless the user says that none is needed',
  () => {
    const [carrel, cwd] = [createTidyCarrel(), makeRepository()];
    writeFiles(carrel.home, { 'config/carrel/config.yaml': 'isolation:\n  default: full\n' });
    const input = { ...session, cwd, name: 'fox' };
    const refused = callHook(carrel, ['worktree-create'], input);
    expect(refused).toMatchObject({ status: 4, stdout: '' });
    expect(refused.stderr).toContain('isolation full is not available');
    expect(callHook(carrel, ['worktree-create', '--isolation', 'worktree'], input).status).toBe(0);
    expect(callHook(carrel, ['worktree-create'], 'no json')).toMatchObject({ status: 2, stdout: '' });
  },
);

test("worktree-create never returns the user's own directory", () => {
  const [carrel, cwd] = [createTidyCarrel(), makeRepository()];
  carrel.ok(cwd, 'up', 'here', '--workspace', cwd);
  const refused = callHook(carrel, ['worktree-create'], { ...session, cwd, name: 'here' });
  expect(refused).toMatchObject({ status: 2, stdout: '' });
  expect(refused.stderr).toContain('the workspace here already exists');
});

thoroughTest(
  'worktree-remove removes what is safe to remove, keeps the rest, and touches no other worktrees',
  () => {
    const [carrel, cwd] = [createTidyCarrel(), makeRepository()];
    const path = callHook(carrel, ['worktree-create'], { ...session, cwd, name: 'fox' }).stdout.trim();
    const remove = (worktree_path: string) =>
      callHook(carrel, ['worktree-remove'], {
        session_id: 's',
        hook_event_name: 'WorktreeRemove',
        worktree_path,
      });
    writeFiles(path, { 'new.txt': 'work' });
    const refused = remove(path);
    expect(refused).toMatchObject({ status: 3, stdout: '' });
    expect(refused.stderr).toContain('new.txt');
    git(path, 'clean', '-fdq');
    expect(remove(path)).toMatchObject({ status: 0, stdout: '' });
    expect(existsSync(path)).toBe(false);
    expect(remove(path).status).toBe(0);
    const foreign = tempDir();
    expect(remove(foreign)).toMatchObject({ status: 5, stdout: '' });
    expect(existsSync(foreign)).toBe(true);
  },
);

thoroughTest(
  'claude gets its worktree from the hook and requests a workspace over MCP, as set up by carrel install',
  async context => {
    const path = requireAgentProgram(context, 'claude');
    const [carrel, cwd] = [createTidyCarrel(), makeRepository()];
    expect(carrel.ok(cwd, 'install', 'claude', '--user', '--write')).toContain('written: ');
    const tool = 'mcp__carrel__workspace_create';
    const usage = { inputTokens: 5, outputTokens: 7 };
    const script = [
      { tool, input: { name: 'desk' }, usage },
      { say: 'Done.', usage },
    ];
    const model = await startModelServer({ script });
    const env = {
      ...carrel.env,
      PATH: `${programDirectory()}:${path}`,
      ANTHROPIC_BASE_URL: `http://localhost:${model.port}`,
      ANTHROPIC_API_KEY: 'test',
      // On a busy machine it would begin without the server.
      MCP_CONNECTION_NONBLOCKING: '0',
      MCP_CONNECT_TIMEOUT_MS: '60000',
    };
    const call = (...args: string[]) => callProgram('claude', args, { cwd, env });
    expect(await call('mcp', 'get', 'carrel')).toMatch(/Connected(.|\n)*Command: carrel\n\s*Args: mcp/);
    expect(await call('--worktree', 'fox', '-p', 'Hello', '--allowedTools', tool)).toBe('Done.\n');
    const workspaces = carrel.json<Workspace[]>(cwd, 'ls');
    expect(workspaces.map(({ name }) => name)).toEqual(['fox', 'desk']);
  },
);

/** What a program of an agent's prints. */
async function callProgram(
  program: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const { stdout } = spawn(program, args, { ...place, stdio: ['ignore', 'pipe', 'ignore'] });
  return text(stdout);
}

/** Where `carrel` is found as agents look for it. */
function programDirectory(): string {
  const directory = tempDir();
  const program = join(directory, 'carrel');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`, { mode: 0o755 });
  return directory;
}

thoroughTest('codex sees what carrel install has written', async context => {
  const PATH = requireAgentProgram(context, 'codex');
  const [carrel, cwd] = [createTidyCarrel(), makeRepository()];
  carrel.ok(cwd, 'install', 'codex', '--user', '--write');
  const env = { ...carrel.env, PATH, CODEX_HOME: join(carrel.home, '.codex') };
  const listed = await callProgram('codex', ['mcp', 'list', '--json'], { cwd, env });
  expect(JSON.parse(listed)).toMatchObject([
    { name: 'carrel', enabled: true, transport: { type: 'stdio', command: 'carrel', args: ['mcp'] } },
  ]);
});
