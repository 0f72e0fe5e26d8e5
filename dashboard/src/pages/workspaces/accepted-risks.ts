import type { RemovalRisks } from '../../../../src/domain/api-requests.js';
import type { AcceptedRisks, RemovalFlag } from '../../../../src/domain/risk.js';

export type ShownRisk = RemovalRisks['risks'][number];

/** Risks that one consent covers; those without a flag can't be accepted. */
export interface RiskGroup {
  readonly flag: RemovalFlag | null;
  readonly risks: readonly ShownRisk[];
}

/** What the consent says, and the word of the API for it. */
const CONSENTS: Readonly<Record<RemovalFlag, { readonly text: string; readonly word: keyof AcceptedRisks }>> =
  {
    '--discard-changes': {
      text: 'Remove it although there are changes that are not committed. They stay in the snapshot.',
      word: 'discardChanges',
    },
    '--discard-commits': {
      text: 'Remove it although there are commits that are on no other branch. They stay in the snapshot.',
      word: 'discardCommits',
    },
    '--stop-processes': { text: 'End the processes that work in it.', word: 'stopProcesses' },
    '--break-lease': { text: 'Take it away from whoever holds it.', word: 'breakLease' },
  };

export function groupRisks(risks: readonly ShownRisk[]): readonly RiskGroup[] {
  const groups = new Map<RemovalFlag | null, ShownRisk[]>();
  for (const risk of risks) {
    const flag = flagOf(risk);
    groups.set(flag, [...(groups.get(flag) ?? []), risk]);
  }
  return [...groups].map(([flag, grouped]) => ({ flag, risks: grouped }));
}

/** A flag that this page does not know can't be consented to here. */
const flagOf = ({ flag }: ShownRisk): RemovalFlag | null =>
  (Object.keys(CONSENTS) as RemovalFlag[]).find(known => known === flag) ?? null;

/** What is accepted with a flag. Nothing that is lost for good is accepted without a word about it. */
export function consentText(flag: RemovalFlag, risks: readonly ShownRisk[]): string {
  const isLost = risks.some(({ kind }) => kind === 'large-ignored');
  return CONSENTS[flag].text + (isLost ? ' The ignored files that are too large for it are lost.' : '');
}

export const acceptedRisks = (flags: ReadonlySet<RemovalFlag>): AcceptedRisks =>
  Object.fromEntries([...flags].map(flag => [CONSENTS[flag].word, true]));
