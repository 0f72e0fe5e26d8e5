import { expect, test } from 'vitest';
import { createRisk, type RiskKind, riskFlags, unacceptedRisks } from './risk.js';

const all = (Object.keys(riskFlags) as RiskKind[]).map(kind => createRisk(kind, kind, []));
const kinds = (accepted: Parameters<typeof unacceptedRisks>[1]) =>
  unacceptedRisks(all, accepted).map(({ kind }) => kind);

test('nothing is accepted by itself', () => {
  expect(kinds({})).toEqual(Object.keys(riskFlags));
});

test('each flag accepts its own risks and no other', () => {
  const options = {
    '--discard-changes': { discardChanges: true },
    '--discard-commits': { discardCommits: true },
    '--stop-processes': { stopProcesses: true },
    '--break-lease': { breakLease: true },
  };
  for (const [flag, accepted] of Object.entries(options)) {
    expect(kinds(accepted)).toEqual(all.filter(risk => risk.flag !== flag).map(({ kind }) => kind));
  }
});

test('a lock, a mount and the own current directory stand against all flags together', () => {
  expect(
    kinds({ discardChanges: true, discardCommits: true, stopProcesses: true, breakLease: true }),
  ).toEqual(['locked', 'mounted', 'current-directory']);
});

test('what the snapshot of a removal holds can be accepted without what is too large for it', () => {
  const discarded = all.filter(risk => risk.flag === '--discard-changes').map(({ kind }) => kind);
  const others = kinds({}).filter(kind => !discarded.includes(kind));
  expect(kinds({ snapshotChanges: true })).toEqual(
    kinds({}).filter(kind => kind === 'large-ignored' || others.includes(kind)),
  );
});
