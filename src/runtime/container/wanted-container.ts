import { createHash } from 'node:crypto';
import type { LimitName } from '../../domain/sandbox/runtime-finding.js';
import type { Limits } from '../../domain/sandbox/sandbox.js';
import { requireEnforceable } from '../limits/enforceable-limits.js';
import { withUsualLimits } from '../limits/usual-limits.js';
import type { Policy } from '../policy.js';
import { type ContainerOptions, containerArguments } from './arguments.js';
import type { Engine } from './engine/engine.js';
import { type EngineFacts, readEngineFacts } from './engine/engine-facts.js';
import { LABELS } from './engine/inspect-container.js';
import { readHardLimits } from './hard-limits.js';
import { requireImage } from './image/container-image.js';
import { type HostPartsOptions, listHostParts } from './image/host-parts.js';
import { SLEEPER, type WantedContainer } from './lifecycle/open-container.js';
import { ensureSeccompFile, type SeccompFileOptions } from './seccomp-file.js';

export interface WantedOptions extends SeccompFileOptions, HostPartsOptions {
  readonly owner: string;
  /** Called with a message before something that takes long. */
  readonly announce?: ((line: string) => void) | undefined;
}

/** Maximum size of a memory file system inside; it counts as memory of the container. */
const SCRATCH_BYTES = 1024 ** 3;

/** Arguments that depend on the engine's answers, so they are determined only when a container is created. */
type LateOptions = Pick<ContainerOptions, 'image' | 'labels' | 'isRootless' | 'hardLimits'>;

/** The container that a policy requests. SANDBOX_REFUSED for what can't be expressed to the engine. */
export async function describeWanted(
  engine: Engine,
  options: WantedOptions,
  { id, name }: { readonly id: string; readonly name: string },
  policy: Policy,
): Promise<WantedContainer> {
  const seccompFile = await ensureSeccompFile(options, policy);
  const render = (of: Policy, late: LateOptions): string[] =>
    containerArguments(of, {
      engine: engine.name,
      name,
      seccompFile,
      scratchBytes: SCRATCH_BYTES,
      command: ['sh', '-c', SLEEPER],
      ...late,
    });
  const policyHash = hash(render(policy, { ...UNKNOWN, image: JSON.stringify(policy.root) }));
  const labels = { [LABELS.workspace]: id, [LABELS.owner]: options.owner, [LABELS.policy]: policyHash };
  const findArguments = async (): Promise<string[]> => {
    const facts = await readEngineFacts(engine);
    const announce = options.announce ?? (() => undefined);
    const image = await requireImage(engine, policy.root, () => listHostParts(options), announce);
    const isRootless = engine.name === 'podman' && facts.isRootless;
    return render(adapt(engine, policy, facts), { image, labels, isRootless, hardLimits: readHardLimits() });
  };
  const requireLimits = async (): Promise<void> => {
    if (GROUP_LIMITS.every(limit => policy.limits[limit] === undefined)) return;
    requireEnforceable(engine.name, policy, (await readEngineFacts(engine)).limits);
  };
  return { workspaceId: id, name, policyHash, requireLimits, arguments: findArguments };
}

/** Limits that need the engine, and control groups that it may use. */
const GROUP_LIMITS = ['cpu', 'memory', 'pids'] as const;

const UNKNOWN: Omit<LateOptions, 'image'> = {
  labels: {},
  isRootless: false,
  hardLimits: { openFiles: -1, processes: -1 },
};

const hash = (args: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(args)).digest('hex');

/** Without limits that the engine would ignore; and in a rootless docker, root inside is the user. */
function adapt(engine: Engine, policy: Policy, facts: EngineFacts): Policy {
  const isUser = engine.name === 'docker' && facts.isRootless;
  return {
    ...policy,
    limits: keepEnforceable(withUsualLimits(policy, facts.limits), facts.limits),
    user: isUser ? { uid: 0, gid: 0 } : policy.user,
  };
}

function keepEnforceable(limits: Limits, enforceable: readonly LimitName[]): Limits {
  const isKept = (name: string): boolean =>
    enforceable.includes((name === 'memorySwap' ? 'memory' : name) as LimitName);
  return Object.fromEntries(Object.entries(limits).filter(([name]) => isKept(name)));
}
