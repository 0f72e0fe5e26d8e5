import type { CarrelError } from '../../domain/error/error.js';
import { createRisk } from '../../domain/workspace/risk.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import type { Backend } from '../backend.js';
import { asideOf } from '../location/aside.js';
import { findDirectoryPresence, presenceAlone } from '../location/presence.js';
import { BACKEND_METHODS } from './require-backend.js';

/**
 * Replaces a backend that can't be loaded: its workspaces are listed with the reason, and everything else fails with
 * it, so that nothing is removed.
 */
export function createUnavailableBackend(name: string, reason: CarrelError): Backend {
  const fail = (): never => {
    throw reason;
  };
  const failing = (part: keyof typeof BACKEND_METHODS) =>
    Object.fromEntries(BACKEND_METHODS[part].required.map(method => [method, async () => fail()]));
  return {
    ...failing('own'),
    name,
    ownsFiles: true,
    inspect: async (records: readonly WorkspaceRecord[]) =>
      Promise.all(
        records.map(async ({ path }) => ({
          ...presenceAlone(await findDirectoryPresence(path)),
          problem: reason,
        })),
      ),
    // No option accepts this risk.
    findRisks: async () => [createRisk('locked', reason.message, [], reason.hint)],
    workTree: fail,
    removal: { ...failing('removal'), asideOf },
    diffing: failing('diffing'),
    snapshots: { ...failing('snapshots'), place: fail },
    returning: failing('returning'),
    landing: failing('landing'),
  } as unknown as Backend;
}
