import { join } from 'node:path';
import { carrelError } from '../domain/error.js';
import { createId } from '../domain/id.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { copyKeepingTime } from '../git/work-tree/scratch-index.js';
import type { Context } from '../operations/context.js';
import { runCommand } from '../operations/run-command.js';
import { up } from '../operations/up.js';
import type { SandboxedRuntime } from '../sandbox/choose-runtime.js';
import { chooseOnce } from './choose-once.js';
import type { IsolationProvider, TaskDescriptor, TaskEnvironment } from './isolation-provider.js';
import { batchContext } from './provider-context.js';
import { putFile, takeFile } from './provider-files.js';
import { createProvider } from './provider-life.js';
import { collectPatch } from './provider-patch.js';
import type { SealedBase } from './sealed-base.js';

export interface SandboxWishes {
  readonly isolation: 'full' | 'docker';
  /** What may be reached from inside. */
  readonly hosts: readonly string[];
}

/**
 * A workspace with a sandbox around its commands for each attempt. Less than that is never taken: a result that came about
 * without the sandbox that was asked for says nothing.
 */
export function createSandboxProvider(machine: Context, wishes: SandboxWishes): IsolationProvider {
  const outer = chooseOnce(machine);
  const plain = batchContext(outer);
  return createProvider(plain, 1, desk => ({
    make: async (base, task, signal) => {
      const context = await contextFor(outer, wishes, task);
      const desired = { name: nameOf(context), hosts: wishes.hosts, signal };
      const make = async () =>
        makeSandboxed(context, { ...desired, repository: await desk.makeRepository(base) });
      const sandboxed: Sandboxed = { context, task, base, made: await make() };
      const remove = () => desk.removeRepository(sandboxed.made.repository);
      return {
        environment: createInsideEnvironment(sandboxed),
        files: sandboxed.made.record.path,
        isWarm: false,
        reset: async () => {
          await remove();
          sandboxed.made = await make();
        },
        giveBack: remove,
      };
    },
  }));
}

const nameOf = ({ ids }: Context): string => createId('run', ids).replace('_', '-');

/** Images are for containers; what is not one shows the programs of this machine. */
async function contextFor(
  outer: Context,
  { isolation }: SandboxWishes,
  task: TaskDescriptor,
): Promise<Context> {
  if (isolation === 'full') return batchContext(outer);
  return batchContext(outer, { runtime: await chooseEngine(outer), image: task.image });
}

/** The user's choice, else the first that works. */
async function chooseEngine(context: Context): Promise<SandboxedRuntime> {
  const { config } = await context.loadConfig(null);
  const { runtime } = config.sandbox;
  if (runtime === 'podman' || runtime === 'docker') return runtime;
  const choice = await (await context.sandboxes()).choose({ runtime: 'auto', wantsImage: true });
  // Of one that can't be had `up` says why.
  return choice.runtime ?? 'docker';
}

interface SandboxRequest {
  readonly repository: string;
  readonly name: string;
  readonly hosts: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** A workspace with the repository that it was made of, which goes with it. */
interface MadeWorkspace {
  readonly repository: string;
  readonly record: WorkspaceRecord;
  /** As it is when nobody has worked there yet. */
  readonly indexFile: string;
}

async function makeSandboxed(context: Context, request: SandboxRequest): Promise<MadeWorkspace> {
  const { repository, name, hosts, signal } = request;
  const workspace = await up(context, {
    repository,
    form: { kind: 'git', directory: repository },
    name,
    isolation: 'full',
    strict: true,
    setup: false,
    sandbox: { allow: [...hosts] },
    signal,
  });
  const record = await context.store.workspaces.find(workspace.id);
  const place = record && context.backends[record.backend].workTree(record);
  if (!record?.sandbox || !place?.isForeign)
    throw carrelError('INTERNAL', { problem: `${name} is no worktree with a sandbox` });
  const indexFile = join(repository, '..', 'index');
  await copyKeepingTime(join(place.gitDir, 'index'), indexFile);
  return { repository, record, indexFile };
}

/** `made` is another one after a reset, at the same path. */
interface Sandboxed {
  readonly context: Context;
  readonly task: TaskDescriptor;
  readonly base: SealedBase;
  made: MadeWorkspace;
}

function createInsideEnvironment(sandboxed: Sandboxed): TaskEnvironment {
  const { context, task, base } = sandboxed;
  const { id, path, runtime } = sandboxed.made.record;
  return {
    id,
    taskId: task.id,
    workingDirectory: path,
    commit: base.commit,
    isSandboxed: true,
    runtime,
    run: request => {
      const environment = { ...task.environment, ...request.environment };
      return runCommand(context, sandboxed.made.record, { ...request, environment });
    },
    endAll: async () => (await context.sandboxes()).stop(sandboxed.made.record),
    collectPatch: async () => {
      const { record, indexFile } = sandboxed.made;
      const { gitDir } = (await context.sandboxes()).placeOf(record.id);
      return collectPatch(context, base, { workTree: path, indexFile, gitDir });
    },
    writeFile: async (name, content, options) => putFile(path, name, content, options?.executable),
    readFile: async (name, limitBytes) => takeFile(path, name, limitBytes),
  };
}
