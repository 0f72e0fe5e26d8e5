import { carrelError } from '../../domain/error/error.js';
import { createId } from '../../domain/id.js';
import type { Lease } from '../../domain/workspace/workspace.js';
import type { Context } from '../context.js';
import { findWorkspace, type WorkspaceQuery } from '../workspace/find-workspace.js';
import { requireReady } from './require-ready.js';

export interface LeaseInput extends WorkspaceQuery {
  /** The holder's name, for messages to others. */
  readonly holder: string;
}

/** The right to use a workspace until it is returned; it can't be removed until then. WORKSPACE_BUSY when it is taken. */
export async function leaseWorkspace(context: Context, input: LeaseInput): Promise<Lease> {
  const record = await findWorkspace(context, input);
  await requireReady(context, record);
  const since = new Date(context.now()).toISOString();
  const lease = { id: createId('lease', context.ids), holder: input.holder, since };
  const event = {
    type: 'workspace.leased',
    repositoryId: record.repositoryId,
    workspaceId: record.id,
    data: { ...lease },
  } as const;
  if (await context.store.workspaces.setLease(record.id, null, lease, [event])) return lease;
  const holder = (await context.store.workspaces.find(record.id))?.lease?.holder ?? 'another process';
  throw carrelError('WORKSPACE_BUSY', { name: record.name, status: `leased by ${holder}` });
}

/** Returns a lease. False when it is no longer the current one. */
export async function returnLease(
  context: Context,
  input: WorkspaceQuery & { readonly leaseId: string },
): Promise<boolean> {
  const record = await findWorkspace(context, input);
  const data = { id: input.leaseId };
  const event = {
    type: 'workspace.lease-returned',
    repositoryId: record.repositoryId,
    workspaceId: record.id,
    data,
  } as const;
  return context.store.workspaces.setLease(record.id, input.leaseId, undefined, [event]);
}
