/**
 * A reason not to remove a workspace. `flag` is the option that accepts this risk; a risk without one can't be accepted,
 * and `advice` says what to do instead.
 */
export interface Risk {
  readonly kind: RiskKind;
  readonly message: string;
  /** What is at stake, for example file names or commit ids. */
  readonly items: readonly string[];
  readonly flag: RemovalFlag | null;
  readonly advice: string;
}

export type RemovalFlag = '--discard-changes' | '--discard-commits' | '--stop-processes' | '--break-lease';

export const riskFlags = {
  changes: '--discard-changes',
  untracked: '--discard-changes',
  conflicted: '--discard-changes',
  'hidden-changes': '--discard-changes',
  'in-progress': '--discard-changes',
  submodule: '--discard-changes',
  'nested-repository': '--discard-changes',
  'large-ignored': '--discard-changes',
  'too-large': '--discard-changes',
  unreadable: '--discard-changes',
  unreachable: '--discard-changes',
  commits: '--discard-commits',
  processes: '--stop-processes',
  leased: '--break-lease',
  locked: null,
  mounted: null,
  'current-directory': null,
} as const satisfies Record<string, RemovalFlag | null>;

export type RiskKind = keyof typeof riskFlags;

/** The snapshot of a removal does not cover these. */
const NOT_IN_SNAPSHOT: ReadonlySet<RiskKind> = new Set([
  'large-ignored',
  'too-large',
  'unreadable',
  'unreachable',
]);

/** Which risks the caller accepts; nothing by default. */
export interface AcceptedRisks {
  readonly discardChanges?: boolean | undefined;
  /** The same, but only for what the snapshot of the removal covers: not for files that are too large for it or can't be read. */
  readonly snapshotChanges?: boolean | undefined;
  readonly discardCommits?: boolean | undefined;
  readonly stopProcesses?: boolean | undefined;
  readonly breakLease?: boolean | undefined;
}

export function createRisk(kind: RiskKind, message: string, items: readonly string[], advice = ''): Risk {
  return { kind, message, items, flag: riskFlags[kind], advice };
}

export function unacceptedRisks(risks: readonly Risk[], accepted: AcceptedRisks): Risk[] {
  const flags: Record<RemovalFlag, boolean | undefined> = {
    '--discard-changes': accepted.discardChanges,
    '--discard-commits': accepted.discardCommits,
    '--stop-processes': accepted.stopProcesses,
    '--break-lease': accepted.breakLease,
  };
  const isSnapshot = ({ flag, kind }: Risk) =>
    accepted.snapshotChanges && flag === '--discard-changes' && !NOT_IN_SNAPSHOT.has(kind);
  return risks.filter(risk => risk.flag === null || !(flags[risk.flag] || isSnapshot(risk)));
}
