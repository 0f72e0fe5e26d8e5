import { expect, test } from 'vitest';
import { createRisk, type RiskKind, riskFlags, unacceptedRisks } from './risk.js';

const all = (Object.keys(riskFlags) as RiskKind[]).map(kind => createRisk(kind, kind, []));
const kinds = (accepted: Parameters<typeof unacceptedRisks>[1]) =>
  unacceptedRisks(all, accepted).map(({ kind }) => kind);

test('no risk is accepted by default', () => {
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

test('no flag accepts a lock, a mount or the current directory', () => {
  expect(
    kinds({ discardChanges: true, discardCommits: true, stopProcesses: true, breakLease: true }),
  ).toEqual(['locked', 'mounted', 'current-directory']);
});

test('risks covered by the snapshot can be accepted without those that are not', () => {
  const discarded = all.filter(risk => risk.flag === '--discard-changes').map(({ kind }) => kind);
  const others = kinds({}).filter(kind => !discarded.includes(kind));
  expect(kinds({ snapshotChanges: true })).toEqual(
    kinds({}).filter(
      kind =>
        ['large-ignored', 'too-large', 'unreadable', 'unreachable'].includes(kind) || others.includes(kind),
    ),
  );
});
