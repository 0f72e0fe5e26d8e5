import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { TaskEnvironment } from '../../../src/batch/isolation-provider.js';
import type { Command, CommandResult } from '../../../src/domain/command/command.js';
import { commandEnvironment } from '../../../src/exec/command-environment.js';
import { trackTree } from '../../../src/exec/process/process-tree.js';
import { runProcess } from '../../../src/exec/run-process.js';
import { killTree } from '../../../src/exec/stop/kill-tree.js';
import { git, gitEnv, makeRepository } from '../repository.js';

export interface PlainEnvironment extends TaskEnvironment {
  /** Back to the base, as a provider's `reset`. */
  reset(): Promise<void>;
}

/** A task's environment in a directory of the test's own: real processes, real git, no isolation. */
export function plainEnvironment(
  files?: Record<string, string>,
  { taskId = 'task' }: { readonly taskId?: string } = {},
): PlainEnvironment {
  const directory = makeRepository(files);
  const commit = git(directory, 'rev-parse', 'HEAD');
  return {
    id: randomUUID(),
    taskId,
    workingDirectory: directory,
    commit,
    isSandboxed: false,
    run: request => runIn(directory, request),
    endAll: async () => undefined,
    collectPatch: async () => ({ patch: collect(directory, commit), skipped: [] }),
    writeFile: async (path, content, options) => place(directory, path, content, options?.executable),
    readFile: async (path, limit) => readRegular(directory, path, limit),
    reset: async () => {
      git(directory, 'reset', '--hard', '--quiet', commit);
      git(directory, 'clean', '-ffdxq');
    },
  };
}

async function runIn(cwd: string, request: Command): Promise<CommandResult> {
  const { command: words, environment, endsLeftovers = true, ...rest } = request;
  const [command, ...args] = words as [string, ...string[]];
  const marker = randomUUID();
  const variables = { ...environment, CARREL_COMMAND_ID: marker };
  let pid: number | undefined;
  const onStart = (started: number): void => {
    pid = started;
  };
  const own = { PATH: process.env.PATH, HOME: '/nonexistent' };
  const env = commandEnvironment(own, { directory: cwd }, variables);
  const result = await runProcess({ ...rest, command, args, cwd, env, onStart });
  const leftovers = pid !== undefined && endsLeftovers ? trackTree({ pid }, marker).living().length : 0;
  if (pid !== undefined && leftovers > 0) await killTree({ pid }, { graceMs: 200, marker });
  return { ...result, leftovers };
}

function collect(directory: string, commit: string): Buffer {
  git(directory, 'add', '--all');
  const args = ['diff', '--binary', '--full-index', '--find-renames', '--cached', commit];
  return execFileSync('git', args, { cwd: directory, env: gitEnv() });
}

function place(directory: string, path: string, content: Buffer, executable = false): void {
  const target = join(directory, path);
  mkdirSync(dirname(target), { recursive: true });
  rmSync(target, { recursive: true, force: true });
  writeFileSync(target, content);
  chmodSync(target, executable ? 0o755 : 0o644);
}

function readRegular(directory: string, path: string, limit: number): Buffer | undefined {
  const target = join(directory, path);
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > limit || realpathSync(target) !== target) return undefined;
  return readFileSync(target);
}

/** Contents by path; `null` deletes, `{ link }` makes a link. */
export type Changes = Readonly<Record<string, string | null | { readonly link: string }>>;

/** The patch that an agent's work would leave; the environment is at its base again afterwards. */
export async function patchOf(
  base: Record<string, string> | PlainEnvironment,
  changes: Changes,
): Promise<Buffer> {
  const environment = isEnvironment(base) ? base : plainEnvironment(base);
  for (const [path, change] of Object.entries(changes)) {
    const target = join(environment.workingDirectory, path);
    rmSync(target, { recursive: true, force: true });
    if (change === null) continue;
    if (typeof change === 'string') place(environment.workingDirectory, path, Buffer.from(change));
    else symlinkSync(change.link, target);
  }
  const { patch } = await environment.collectPatch();
  if (isEnvironment(base)) await environment.reset();
  return patch;
}

const isEnvironment = (base: Record<string, string> | PlainEnvironment): base is PlainEnvironment =>
  typeof base.run === 'function';
