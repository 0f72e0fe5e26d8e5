import { join } from 'node:path';
import type { AttemptIsolation } from '../../domain/batch/attempt.js';
import type { TaskDescriptor } from '../../domain/batch/task-descriptor.js';
import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { SandboxedRuntime } from '../../domain/isolation/decide-isolation.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { copyKeepingTime } from '../../git/index/scratch-index.js';
import { openEnvironment } from '../../operations/command/workspace-environment.js';
import type { Context } from '../../operations/context.js';
import { resolveIsolation } from '../../operations/settings/resolve-isolation.js';
import { applyTemplate } from '../../operations/settings/workspace-settings.js';
import { up } from '../../operations/workspace/up.js';
import type { SealedBase } from '../base/sealed-base.js';
import { collectPatch } from '../environment/collect-patch.js';
import { putFile, takeFile } from '../environment/environment-files.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import { chooseOnce } from './choose-runtime-once.js';
import { batchContext } from './provider-context.js';
import type { OpenedKind } from './workspace-maker.js';

export interface SandboxRequirements {
  readonly isolation: 'full' | 'docker';
  /** What can be reached from inside. */
  readonly hosts: readonly string[];
}

/**
 * A sandboxed workspace for each attempt. There is no fallback: a result from a run
 * without the requested sandbox means nothing.
 */
export function openSandboxKind(machine: Context, requirements: SandboxRequirements): OpenedKind {
  const outer = chooseOnce(machine);
  const createMaker: OpenedKind['createMaker'] = batchDirectory => ({
    make: async (base, task, signal) => {
      const context = await contextFor(outer, requirements, task);
      const desired = { name: nameOf(context), hosts: requirements.hosts };
      const make = async (ends: AbortSignal | undefined) => {
        const repository = await batchDirectory.makeRepository(base);
        return makeSandboxed(context, { ...desired, repository, signal: ends });
      };
      const sandboxed: Sandboxed = { context, task, base, made: await make(signal) };
      const remove = () => batchDirectory.removeRepository(sandboxed.made.repository);
      return {
        environment: createInsideEnvironment(sandboxed),
        files: sandboxed.made.record.path,
        isWarm: false,
        reset: async ends => {
          await remove();
          sandboxed.made = await make(ends);
        },
        giveBack: remove,
      };
    },
  });
  return { context: batchContext(outer), createMaker };
}

const nameOf = ({ ids }: Pick<Context, 'ids'>): string => createId('run', ids).replace('_', '-');

/** Images are for containers; other runtimes use the programs of this machine. */
async function contextFor(
  outer: Context,
  { isolation }: SandboxRequirements,
  task: TaskDescriptor,
): Promise<Context> {
  if (isolation === 'full') {
    await refuseSeatbelt(outer);
    return batchContext(outer);
  }
  return batchContext(outer, { runtime: await chooseEngine(outer), image: task.image });
}

/** Results must not depend on an experimental runtime; and attempts need a home at a fixed path. */
async function refuseSeatbelt(context: Pick<Context, 'loadConfig'>): Promise<void> {
  const { config } = await context.loadConfig(null);
  if (config.sandbox.runtime !== 'seatbelt') return;
  const problem = 'it does not support batches';
  const advice = 'set sandbox.runtime to podman or docker in your own configuration file';
  throw carrelError('RUNTIME_UNAVAILABLE', { runtime: 'seatbelt', obstacle: 'refused', problem, advice });
}

/**
 * ISOLATION_UNAVAILABLE before anything of a batch begins, when none of its attempts could have the requested sandbox.
 */
export async function requireAttemptSandbox(context: Context, isolation: AttemptIsolation): Promise<void> {
  if (isolation === 'docker') return requireEngine(context);
  if (isolation !== 'full') return;
  await refuseSeatbelt(context);
  const batch = batchContext(context);
  const settings = await applyTemplate(batch, { root: context.places.stateDir }, undefined);
  await resolveIsolation(batch, { isolation, strict: true }, settings, 'git');
}

async function requireEngine(context: Pick<Context, 'loadConfig' | 'sandboxes'>): Promise<void> {
  const { config } = await context.loadConfig(null);
  const { runtime } = config.sandbox;
  const engines = runtime === 'podman' || runtime === 'docker' ? [runtime] : (['podman', 'docker'] as const);
  const { probe } = await context.sandboxes();
  const findings = await Promise.all(engines.map(engine => probe(engine)));
  if (findings.some(({ obstacle }) => obstacle === null)) return;
  const reason = findings.map(({ message }) => message).join('; ');
  throw carrelError('ISOLATION_UNAVAILABLE', { requested: 'docker', reason });
}

/** The user's choice, else the first that works. */
async function chooseEngine(context: Pick<Context, 'loadConfig' | 'sandboxes'>): Promise<SandboxedRuntime> {
  const { config } = await context.loadConfig(null);
  const { runtime } = config.sandbox;
  if (runtime === 'podman' || runtime === 'docker') return runtime;
  const { probe } = await context.sandboxes();
  // If it is not available, `up` reports why.
  return (await probe('podman')).obstacle === null ? 'podman' : 'docker';
}

interface SandboxRequest {
  readonly repository: string;
  readonly name: string;
  readonly hosts: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** A workspace with its repository, which is removed with it. */
interface MadeWorkspace {
  readonly repository: string;
  readonly record: WorkspaceRecord;
  /** The index before any work. */
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
  const place = record && context.backends.of(record.backend).workTree(record);
  if (!record?.sandbox || !place?.isForeign)
    throw carrelError('INTERNAL', { problem: `${name} is not a worktree with a sandbox` });
  const indexFile = join(repository, '..', 'index');
  await copyKeepingTime(join(place.gitDir, 'index'), indexFile);
  return { repository, record, indexFile };
}

/** After a reset `made` is a new one at the same path. */
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
      return openEnvironment(context, sandboxed.made.record).run({ ...request, environment });
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
