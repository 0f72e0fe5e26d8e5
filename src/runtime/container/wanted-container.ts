import { createHash } from 'node:crypto';
import type { LimitName } from '../../domain/runtime.js';
import type { Limits } from '../../domain/sandbox.js';
import { requireEnforceable } from '../limits/enforceable.js';
import type { Policy } from '../policy.js';
import { type ContainerOptions, containerArguments } from './arguments.js';
import type { Engine } from './engine.js';
import { type EngineFacts, readEngineFacts } from './facts.js';
import { readHardLimits } from './hard-limits.js';
import { type HostPartsOptions, listHostParts } from './host-parts.js';
import { requireImage } from './image.js';
import { LABELS } from './inspect.js';
import { SLEEPER, type WantedContainer } from './open-container.js';
import { ensureSeccompFile, type SeccompFileOptions } from './seccomp-file.js';

export interface WantedOptions extends SeccompFileOptions, HostPartsOptions {
  readonly owner: string;
  /** Told what is begun that takes long. */
  readonly announce?: ((line: string) => void) | undefined;
}

/** Most bytes of a memory file system inside; they count as memory of the container. */
const SCRATCH_BYTES = 1024 ** 3;

/** What of the rendering is found out by asking the engine, and so only when a container is made. */
type LateOptions = Pick<ContainerOptions, 'image' | 'labels' | 'isRootless' | 'hardLimits'>;

/** The container that a policy asks for. SANDBOX_REFUSED for what can't be said to the engine. */
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

/** Those that need the engine, and control groups that it may use. */
const GROUP_LIMITS = ['cpu', 'memory', 'pids'] as const;

const UNKNOWN: Omit<LateOptions, 'image'> = {
  labels: {},
  isRootless: false,
  hardLimits: { openFiles: -1, processes: -1 },
};

const hash = (args: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(args)).digest('hex');

/** Without the limits that would be ignored; and the root of a docker without root is the user. */
function adapt(engine: Engine, policy: Policy, facts: EngineFacts): Policy {
  const isUser = engine.name === 'docker' && facts.isRootless;
  return {
    ...policy,
    limits: keepEnforceable(policy.limits, facts.limits),
    user: isUser ? { uid: 0, gid: 0 } : policy.user,
  };
}

function keepEnforceable(limits: Limits, enforceable: readonly LimitName[]): Limits {
  const isKept = (name: string): boolean =>
    enforceable.includes((name === 'memorySwap' ? 'memory' : name) as LimitName);
  return Object.fromEntries(Object.entries(limits).filter(([name]) => isKept(name)));
}
