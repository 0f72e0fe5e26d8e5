import type { IsolationMode } from '../isolation.js';
import type { RuntimeFinding, RuntimeName } from '../sandbox/runtime-finding.js';
import type { Workspace } from '../workspace/workspace.js';
import { degradeIsolation } from './degrade-isolation.js';

// The one rule for what happens when a sandbox that was requested is not available. No input or output, no zod: every
// surface (command line, HTTP, MCP, library, tasks, batches) and `carrel doctor` go through `decideIsolation`.

export type SandboxedRuntime = Exclude<RuntimeName, 'host' | 'dummy'>;

/**
 * Who requested the mode. `default`: a workflow or template that ships with Carrel. `user`: the user's own configuration file.
 * `flag`: an option of the command or a field of the call. `repository`: a file of the repository.
 */
export type IsolationAsker = 'default' | 'user' | 'flag' | 'repository';

export interface IsolationQuestion {
  readonly requested: IsolationMode;
  readonly askedBy: IsolationAsker;
  /** `--strict`, or `isolation.onUnavailable: fail` in any file. */
  readonly isStrict: boolean;
  /** The user's own file says `isolation.onUnavailable: degrade`; the default and the repository's file don't count. */
  readonly userAllowsLess: boolean;
  /** `container`: an engine first, whichever is there. */
  readonly runtime: 'auto' | 'container' | SandboxedRuntime;
  readonly image: string | null;
  /** Whether a file of the repository defines parts of the sandbox, so that it can make a sandbox fail. */
  readonly isShapedByRepository: boolean;
  /** Whether the workspace is a directory of the user, used as it is: it can't be a worktree. */
  readonly isInPlace?: boolean | undefined;
}

/** One way to make a sandbox. Without an image it shows the programs of this machine. */
export interface SandboxCandidate {
  readonly runtime: SandboxedRuntime;
  readonly image: string | null;
}

export interface FailedCandidate extends SandboxCandidate {
  readonly reason: string;
}

/** What is known so far. */
export interface SandboxFacts {
  readonly probed: ReadonlyMap<SandboxedRuntime, RuntimeFinding>;
  /** Candidates whose runtime works, but that did not start. */
  readonly failed: readonly FailedCandidate[];
}

export type IsolationDecision =
  /** Probe this runtime and ask again. */
  | { readonly kind: 'probe'; readonly runtime: SandboxedRuntime }
  | {
      readonly kind: 'sandbox';
      readonly candidate: SandboxCandidate;
      readonly isolation: Workspace['isolation'];
      /** Why the candidates before it are not used. */
      readonly passedOver: readonly string[];
    }
  | { readonly kind: 'host'; readonly isolation: Workspace['isolation'] };

/**
 * A sandbox first falls back to another sandbox: a missing image or a failing engine leads to bubblewrap. It falls back
 * to no sandbox only when the mode is a default, or when the user's own file allows it; never because of a file of the
 * repository. ISOLATION_UNAVAILABLE.
 */
export function decideIsolation(question: IsolationQuestion, facts: SandboxFacts): IsolationDecision {
  const { requested } = question;
  if (requested !== 'full')
    return { kind: 'host', isolation: { requested, effective: requested, reason: null } };
  const reasons: string[] = [];
  for (const candidate of listCandidates(question)) {
    const finding = facts.probed.get(candidate.runtime);
    if (!finding) return { kind: 'probe', runtime: candidate.runtime };
    const obstacle = findObstacle(candidate, finding, facts.failed);
    if (obstacle === undefined) {
      const isolation = { requested, effective: 'full', reason: null } as const;
      return { kind: 'sandbox', candidate, isolation, passedOver: unique(reasons) };
    }
    reasons.push(obstacle);
  }
  const worktree = question.isInPlace ? NO_WORKTREE : true;
  const available = { full: unique(reasons).join('; '), worktree, shared: true } as const;
  const onUnavailable = mayFallBelow(question, facts) ? 'degrade' : 'fail';
  return { kind: 'host', isolation: degradeIsolation(requested, available, onUnavailable) };
}

export const NO_WORKTREE = 'a directory used in place is not a worktree';

/** Whether a weaker mode may be used where no sandbox is available. */
export function mayFallBelow(
  question: Pick<IsolationQuestion, 'askedBy' | 'isStrict' | 'userAllowsLess' | 'isShapedByRepository'>,
  { failed }: Pick<SandboxFacts, 'failed'> = { failed: [] },
): boolean {
  if (question.isStrict) return false;
  if (failed.length > 0 && question.isShapedByRepository) return false;
  const isChoice = question.askedBy === 'user' || question.askedBy === 'flag';
  return question.userAllowsLess || !isChoice;
}

const BUBBLEWRAP = ['bubblewrap'] as const;

/**
 * In order. Without an image bubblewrap comes first: it starts in milliseconds. An engine that the user chose comes
 * first; with --strict it is the only one. Seatbelt is used only when chosen by name.
 */
function listCandidates({ runtime, image, isStrict }: IsolationQuestion): SandboxCandidate[] {
  const plain = (...names: SandboxedRuntime[]) => names.map(name => ({ runtime: name, image: null }));
  const withImage = (...names: SandboxedRuntime[]) =>
    image === null ? [] : names.map(name => ({ runtime: name, image }));
  switch (runtime) {
    case 'auto':
      return [...withImage('podman', 'docker'), ...plain('bubblewrap', 'podman', 'docker')];
    case 'container':
      return [
        ...withImage('podman', 'docker'),
        ...plain('podman', 'docker', ...(isStrict ? [] : BUBBLEWRAP)),
      ];
    case 'podman':
    case 'docker':
      if (isStrict) return [{ runtime, image }];
      return [...withImage(runtime), ...plain(runtime, 'bubblewrap')];
    case 'bubblewrap':
    case 'seatbelt':
      return plain(runtime);
  }
}

function findObstacle(
  { runtime, image }: SandboxCandidate,
  finding: RuntimeFinding,
  failed: readonly FailedCandidate[],
): string | undefined {
  if (finding.obstacle !== null) return finding.message;
  if (finding.needsImage && image === null) return `${runtime} needs an image on this system`;
  return failed.find(each => each.runtime === runtime && each.image === image)?.reason;
}

const unique = (reasons: readonly string[]): string[] => [...new Set(reasons)];
