import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LimitName } from '../../domain/sandbox/runtime-finding.js';
import type { Limits } from '../../domain/sandbox/sandbox.js';
import type { Policy } from '../policy.js';
import { containerArguments } from './arguments.js';
import { type Engine, lastLine } from './engine/engine.js';
import type { EngineFacts } from './engine/engine-facts.js';
import { LABELS } from './engine/inspect-container.js';
import { readHardLimits } from './hard-limits.js';
import { ensureHostImage } from './image/container-image.js';
import { collectHostImage } from './image/host-image.js';
import { type HostPartsOptions, listShellParts } from './image/host-parts.js';
import { putFile } from './lifecycle/container-record.js';
import { ensureSeccompFile, type SeccompFileOptions } from './seccomp-file.js';

export interface TrialOptions extends SeccompFileOptions, HostPartsOptions {
  readonly unique: () => string;
  readonly owner: string;
  /** The caller's. */
  readonly environment: Readonly<Record<string, string>>;
  /** The user that runs Carrel and the commands inside. */
  readonly user: Policy['user'];
}

const INSIDE_FILE = '/run/carrel/trial';

/**
 * Runs a container with this machine's shell, which reads a word from a file that we wrote. This shows that the flags work
 * and that the engine sees the same files as we do, which an engine on another machine does not. Returns the problem,
 * if any.
 */
export async function tryContainer(
  engine: Engine,
  options: TrialOptions,
  facts: EngineFacts,
): Promise<string | undefined> {
  const image = await ensureHostImage(engine, await collectHostImage(listShellParts(options)));
  const word = options.unique();
  const file = join(options.directory, `trial-${word}`);
  await putFile(file, `${word}\n`);
  try {
    const result = await engine.call([
      'run',
      '--rm',
      ...(await trialArguments(engine, options, facts, { image, word, file })),
    ]);
    if (result.stdout.toString('utf8').trim() === word) return undefined;
    return result.exitCode === 0 ? "its containers cannot see this machine's files" : lastLine(result);
  } finally {
    await rm(file, { force: true });
  }
}

async function trialArguments(
  engine: Engine,
  options: TrialOptions,
  facts: EngineFacts,
  trial: { readonly image: string; readonly word: string; readonly file: string },
): Promise<string[]> {
  const isRootlessDocker = engine.name === 'docker' && facts.isRootless;
  const policy: Policy = {
    root: { kind: 'image', image: trial.image },
    mounts: [{ kind: 'bind', from: trial.file, to: INSIDE_FILE, writable: false }],
    environment: {},
    workingDirectory: '/',
    hostname: 'carrel',
    user: isRootlessDocker ? { uid: 0, gid: 0 } : options.user,
    network: 'none',
    limits: pickLimits(facts.limits),
    enforcement: 'enforce',
    nested: false,
    privileged: false,
  };
  return containerArguments(policy, {
    engine: engine.name,
    image: trial.image,
    name: `carrel-trial-${trial.word}`,
    labels: { [LABELS.owner]: options.owner },
    seccompFile: await ensureSeccompFile(options, policy),
    isRootless: engine.name === 'podman' && facts.isRootless,
    scratchBytes: TRIAL_LIMITS.memory,
    hardLimits: readHardLimits(),
    command: ['sh', '-c', `read -r word < ${INSIDE_FILE} && echo "$word"`],
  });
}

const TRIAL_LIMITS = { cpu: 1, memory: 64 * 1024 ** 2, pids: 64, fileSize: 1024 ** 2 } as const;

const pickLimits = (enforceable: readonly LimitName[]): Limits =>
  Object.fromEntries(
    Object.entries(TRIAL_LIMITS).filter(([name]) => enforceable.includes(name as LimitName)),
  );
