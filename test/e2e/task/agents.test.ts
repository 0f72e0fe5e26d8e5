import { expect, type TestContext, test } from 'vitest';
import { stringify } from 'yaml';
import type { PresetName } from '../../../src/domain/agent/agent.js';
import type { Task } from '../../../src/domain/task/task.js';
import { requireAgentProgram } from '../../helpers/agent/agent-programs.js';
import { codexProvider } from '../../helpers/agent/codex-provider.js';
import { createCarrel } from '../../helpers/carrel.js';
import { flavours, thoroughTest } from '../../helpers/flavours.js';
import type { Turn } from '../../helpers/model-server/script.js';
import { startModelServer } from '../../helpers/model-server/server.js';
import { git, makeRepository, writeFiles } from '../../helpers/repository.js';
import { tempDir } from '../../helpers/temp.js';
import { requireBubblewrap } from '../../parts/bubblewrap.js';

// `carrel run` with the real programs, which ask a scripted model on loopback.

const COMMAND = 'echo made > made.txt && git add made.txt && git commit -qm "add made.txt"';
const SAY: Turn = { say: 'It is made.', usage: { inputTokens: 500, outputTokens: 7 } };
const ASKED = { inputTokens: 1000, outputTokens: 50, cachedTokens: 200 };

const CLAUDE: readonly Turn[] = [{ tool: 'Bash', input: { command: COMMAND }, usage: ASKED }, SAY];
const CODEX: readonly Turn[] = [{ tool: 'exec_command', input: { cmd: COMMAND }, usage: ASKED }, SAY];

/** Where the programs are, unless they are installed for everybody. */
const READABLE = process.env.CARREL_AGENT_PROGRAMS ? [process.env.CARREL_AGENT_PROGRAMS] : [];

/** What runs in the same sandbox as the agent does not have its keys. */
const SEES_NO_KEY = { kind: 'tests', run: 'test -z "$ANTHROPIC_API_KEY$CODEX_API_KEY"' };

interface Scene {
  readonly preset: PresetName;
  readonly script: readonly Turn[];
  readonly isolation: 'worktree' | 'full';
  /** Settings of the agent, given the model's url. */
  readonly agent?: (url: string) => Readonly<Record<string, unknown>>;
}

/** The task after `carrel run`, and what was printed. */
async function runTask(context: TestContext, { preset, script, isolation, agent }: Scene) {
  const path = requireAgentProgram(context, preset);
  const server = await startModelServer({ script });
  const url = `http://localhost:${server.port}`;
  const carrel = createCarrel(tempDir(), {
    PATH: path,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'test',
    CODEX_API_KEY: 'test',
  });
  const config = {
    agents: { scripted: { preset, ...agent?.(url) } },
    sandbox: { runtime: 'bubblewrap', allow: [`localhost:${server.port}`], readable: READABLE },
    tasks: { validation: isolation === 'full' ? [SEES_NO_KEY] : [] },
  };
  writeFiles(carrel.home, { 'config/carrel/config.yaml': stringify(config) });
  const repository = makeRepository();
  const words = ['--workflow', 'quick', '--agent', 'scripted', '--isolation', isolation, '--strict'];
  const { status, stderr } = await carrel.start(repository, 'run', 'make made.txt', ...words);
  const [task] = carrel.json<Task[]>(repository, 'task', 'ls', '--all');
  if (!task) throw new Error(`there is no task: ${stderr}`);
  return { status, stderr, repository, task: carrel.json<Task>(repository, 'task', 'show', task.id) };
}

/** What must hold for every agent. */
function expectMade({ status, stderr, repository, task }: Awaited<ReturnType<typeof runTask>>): void {
  expect(task.failure, stderr).toBeUndefined();
  expect([status, task.status]).toEqual([0, 'succeeded']);
  expect(git(repository, 'show', `${task.branch}:made.txt`)).toBe('made');
  expect(task.stages[0]).toMatchObject({ attempts: 1, changed: true, message: 'It is made.' });
  expect(task.usage).toMatchObject({ inputTokens: 1700, outputTokens: 57 });
}

thoroughTest('claude changes a worktree and commits, and the task knows tokens and cost', async context => {
  const run = await runTask(context, { preset: 'claude', script: CLAUDE, isolation: 'worktree' });
  expectMade(run);
  expect(run.task.usage.costUsd).toBeGreaterThan(0);
  expect(git(run.repository, 'log', '-1', '--format=%s', run.task.branch ?? '')).toBe('add made.txt');
});

/** Its own sandbox is not available on every host; src/agent/presets/codex.test.ts has it on. */
const codexAgent = (url: string, ...further: string[]) => ({
  model: 'gpt-5.1',
  arguments: [...codexProvider(url), ...further],
});

thoroughTest('codex changes a worktree and commits, and the task knows tokens', async context => {
  const agent = (url: string) => codexAgent(url, '--sandbox', 'danger-full-access');
  const run = await runTask(context, { preset: 'codex', script: CODEX, isolation: 'worktree', agent });
  expectMade(run);
  expect(run.task.usage.costUsd).toBeNull();
});

const INSIDE: readonly [Omit<Scene, 'isolation'>, ...Omit<Scene, 'isolation'>[]] = [
  { preset: 'claude', script: CLAUDE },
  { preset: 'codex', script: CODEX, agent: url => codexAgent(url) },
];

for (const scene of flavours(...INSIDE))
  test(`${scene.preset} works inside the sandbox of full, where it reaches its model`, async context => {
    requireBubblewrap(context);
    const run = await runTask(context, { ...scene, isolation: 'full' });
    expectMade(run);
    expect(run.task.isolation).toMatchObject({ requested: 'full', effective: 'full' });
  });
