import { carrelError, isCarrelError } from '../../domain/error/error.js';
import {
  decideIsolation,
  type FailedCandidate,
  type IsolationAsker,
  type IsolationDecision,
  type IsolationQuestion,
  mayFallBelow,
  NO_WORKTREE,
  type SandboxedRuntime,
} from '../../domain/isolation/decide-isolation.js';
import { degradeIsolation } from '../../domain/isolation/degrade-isolation.js';
import type { IsolationMode } from '../../domain/isolation.js';
import type { RuntimeFinding, RuntimeName } from '../../domain/sandbox/runtime-finding.js';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import type { BackendName, Workspace } from '../../domain/workspace/workspace.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Context } from '../context.js';
import { warnOfWeakness } from './sandbox-settings.js';
import type { Settings } from './workspace-settings.js';

export interface ResolvedIsolation {
  readonly isolation: Workspace['isolation'];
  /** Where commands will run. */
  readonly runtime: RuntimeName;
  /** The settings with the image that is used. */
  readonly sandbox: SandboxSettings;
  /** Why the sandbox differs from the configured one, in one sentence. */
  readonly substitute: string | null;
  readonly warnings: readonly string[];
}

export interface IsolationRequest {
  readonly isolation?: IsolationMode | undefined;
  /** Who chose `isolation`; a flag by default. */
  readonly askedBy?: IsolationAsker | undefined;
  /** Whether a container is preferred to another sandbox. */
  readonly prefersContainer?: boolean | undefined;
  /** Refuse instead of falling back to less isolation. */
  readonly strict?: boolean | undefined;
  /** Why the directory of the user that would be used in place can't be in a sandbox. */
  readonly obstacle?: DirectoryObstacle | undefined;
}

export interface DirectoryObstacle {
  readonly path: string;
  readonly problem: string;
}

/**
 * Creates a workspace with the available isolation. A sandbox that can't be started counts as unavailable: the next candidate is tried, by
 * the same rule. ISOLATION_UNAVAILABLE.
 */
export async function withIsolation<T>(
  context: Pick<Context, 'sandboxes'>,
  request: IsolationRequest,
  settings: Settings,
  backend: BackendName,
  create: (resolved: ResolvedIsolation) => Promise<T>,
): Promise<T> {
  const failed: FailedCandidate[] = [];
  let failure: unknown;
  let asked = request;
  for (;;) {
    const resolved = await resolveIsolation(context, asked, settings, backend, failed).catch(error => {
      throw isSameReason(error, failed) ? failure : error;
    });
    try {
      return await create(resolved);
    } catch (error) {
      failure = error;
      // No other sandbox would be safer for it.
      if (isCarrelError(error, 'UNSAFE_DIRECTORY'))
        asked = { ...request, obstacle: error.details as unknown as DirectoryObstacle };
      else failed.push(describeFailure(resolved, error));
    }
  }
}

/** With a single candidate, its own error has the better hint. */
const isSameReason = (error: unknown, failed: readonly FailedCandidate[]): boolean =>
  isCarrelError(error, 'ISOLATION_UNAVAILABLE') && error.details.reason === failed[0]?.reason;

/** The error when the sandbox, not the workspace in it, can't be created. Other errors are rethrown. */
function describeFailure({ runtime, sandbox }: ResolvedIsolation, error: unknown): FailedCandidate {
  if (runtime === 'host' || !isCarrelError(error, 'IMAGE_MISSING', 'SANDBOX_REFUSED', 'RUNTIME_UNAVAILABLE'))
    throw error;
  return { runtime: runtime as SandboxedRuntime, image: sandbox.image, reason: error.message };
}

/** The isolation that is available here, by the rule of domain/isolation/decide-isolation.ts. ISOLATION_UNAVAILABLE. */
export async function resolveIsolation(
  context: Pick<Context, 'sandboxes'>,
  request: IsolationRequest,
  settings: Settings,
  backend: BackendName,
  failed: readonly FailedCandidate[] = [],
): Promise<ResolvedIsolation> {
  const isInPlace = backend === 'direct';
  const question = { ...askFor(request, settings), isInPlace };
  if (isInPlace && (question.requested !== 'full' || request.obstacle !== undefined))
    return onHost(settings, resolveInPlace(request, question));
  const { decision, finding } = await decide(context, question, failed);
  if (decision.kind === 'host') return onHost(settings, decision.isolation);
  const { runtime, image } = decision.candidate;
  const { isStrict } = question;
  const isAsConfigured = image === settings.sandbox.image;
  const substitute = describeSubstitute(question, decision);
  return {
    isolation: { ...decision.isolation, ...(isStrict && { isStrict }) },
    runtime,
    sandbox: isAsConfigured ? settings.sandbox : withoutImage(settings.sandbox, image),
    substitute,
    warnings: [
      ...(finding?.warnings ?? []),
      ...warnOfWeakness(settings.sandbox, runtime),
      ...(substitute === null ? [] : [substitute]),
    ],
  };
}

/** Its directory is one of the image, unless it is the workspace's second place, which every sandbox has. */
const withoutImage = (sandbox: SandboxSettings, image: string | null): SandboxSettings => ({
  ...sandbox,
  image,
  workingDirectory: sandbox.workingDirectory === INSIDE.workspace ? INSIDE.workspace : null,
});

function askFor(request: IsolationRequest, settings: Settings): IsolationQuestion {
  const isFlag = request.isolation !== undefined;
  const prefersContainer = isFlag ? request.prefersContainer : settings.isolation.prefersContainer;
  return {
    requested: request.isolation ?? settings.isolation.mode,
    askedBy: request.askedBy ?? (isFlag ? 'flag' : settings.isolation.askedBy),
    isStrict: request.strict === true || settings.onUnavailable === 'fail',
    userAllowsLess: settings.userAllowsLess,
    runtime: settings.runtime === 'auto' && prefersContainer ? 'container' : settings.runtime,
    image: settings.sandbox.image,
    isShapedByRepository: settings.isShapedByRepository,
  };
}

type SandboxDecision = Extract<IsolationDecision, { kind: 'sandbox' }>;
type FinalDecision = Exclude<IsolationDecision, { kind: 'probe' }>;

/** Probes each runtime at most once, and only if needed. */
async function decide(
  context: Pick<Context, 'sandboxes'>,
  question: IsolationQuestion,
  failed: readonly FailedCandidate[],
): Promise<{ readonly decision: FinalDecision; readonly finding: RuntimeFinding | undefined }> {
  const probed = new Map<SandboxedRuntime, RuntimeFinding>();
  for (;;) {
    const decision = decideIsolation(question, { probed, failed });
    if (decision.kind !== 'probe') {
      const finding = decision.kind === 'sandbox' ? probed.get(decision.candidate.runtime) : undefined;
      return { decision, finding };
    }
    probed.set(decision.runtime, await (await context.sandboxes()).probe(decision.runtime));
  }
}

/** Another runtime or another root than the configuration names is still a sandbox, but not the same one. */
function describeSubstitute(
  { runtime, image }: IsolationQuestion,
  { candidate, passedOver }: SandboxDecision,
): string | null {
  const why = passedOver.length > 0 ? `: ${passedOver.join('; ')}` : '';
  if (image !== null && candidate.image === null)
    return `the image ${image} is not used; commands run in ${candidate.runtime} with this machine's programs${why}`;
  if (runtime === 'auto' || runtime === candidate.runtime) return null;
  if (runtime === 'container')
    return candidate.runtime === 'bubblewrap'
      ? `no container is available; commands run in bubblewrap${why}`
      : null;
  return `sandbox.runtime is ${runtime}; commands run in ${candidate.runtime} instead${why}`;
}

/** A directory in place is `shared`, unless requested by flag, or where a sandbox is mandatory. UNSAFE_DIRECTORY */
function resolveInPlace(
  { isolation, obstacle }: IsolationRequest,
  question: IsolationQuestion,
): Workspace['isolation'] {
  const requested = isolation ?? (question.requested === 'full' ? 'full' : 'shared');
  const mayDegrade = requested === 'full' ? mayFallBelow(question) : !question.isStrict;
  if (requested === 'full' && obstacle && !mayDegrade) throw carrelError('UNSAFE_DIRECTORY', obstacle);
  const full = obstacle ? `${obstacle.path} ${obstacle.problem}` : true;
  const available = { full, worktree: NO_WORKTREE, shared: true } as const;
  return degradeIsolation(requested, available, mayDegrade ? 'degrade' : 'fail');
}

const onHost = ({ sandbox }: Settings, isolation: Workspace['isolation']): ResolvedIsolation => ({
  isolation,
  runtime: 'host',
  sandbox,
  substitute: null,
  warnings: [],
});
