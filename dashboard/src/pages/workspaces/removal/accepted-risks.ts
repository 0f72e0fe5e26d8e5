import type { RemovalRisks } from '../../../../../src/domain/api/removal-risks.js';
import type { AcceptedRisks, RemovalFlag } from '../../../../../src/domain/workspace/risk.js';

export type ShownRisk = RemovalRisks['risks'][number];

/** Risks that one consent covers; those without a flag can't be accepted. */
export interface RiskGroup {
  readonly flag: RemovalFlag | null;
  readonly risks: readonly ShownRisk[];
}

/** The text of the consent, and its name in the API. */
const CONSENTS: Readonly<Record<RemovalFlag, { readonly text: string; readonly word: keyof AcceptedRisks }>> =
  {
    '--discard-changes': {
      text: 'Remove it despite uncommitted changes. They stay in the snapshot.',
      word: 'discardChanges',
    },
    '--discard-commits': {
      text: 'Remove it despite commits that are on no other branch. They stay in the snapshot.',
      word: 'discardCommits',
    },
    '--stop-processes': { text: 'Stop the processes that run in it.', word: 'stopProcesses' },
    '--break-lease': { text: 'Break the lease of its current holder.', word: 'breakLease' },
  };

export function groupRisks(risks: readonly ShownRisk[]): readonly RiskGroup[] {
  const groups = new Map<RemovalFlag | null, ShownRisk[]>();
  for (const risk of risks) {
    const flag = flagOf(risk);
    groups.set(flag, [...(groups.get(flag) ?? []), risk]);
  }
  return [...groups].map(([flag, grouped]) => ({ flag, risks: grouped }));
}

/** A flag that this page does not know can't be accepted here. */
const flagOf = ({ flag }: ShownRisk): RemovalFlag | null =>
  (Object.keys(CONSENTS) as RemovalFlag[]).find(known => known === flag) ?? null;

/** The text of a flag's consent. It mentions everything that would be lost for good. */
export function consentText(flag: RemovalFlag, risks: readonly ShownRisk[]): string {
  const isLost = risks.some(({ kind }) => kind === 'large-ignored');
  return CONSENTS[flag].text + (isLost ? ' Ignored files that are too large for it are lost.' : '');
}

export const acceptedRisks = (flags: ReadonlySet<RemovalFlag>): AcceptedRisks =>
  Object.fromEntries([...flags].map(flag => [CONSENTS[flag].word, true]));
