import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Handoff } from '../../../attempt/handoff/handoff.js';
import { ignoreMissing } from '../../../domain/error/error.js';
import type { Failure } from '../../../domain/task/failure.js';
import type { WorkspaceRecord } from '../../../domain/workspace/workspace.js';
import { ancestorsOf, findProcessesInside } from '../../../exec/inside/processes-inside.js';
import {
  type CheckoutChange,
  type CheckoutObservation,
  compareObservations,
  observeCheckout,
} from '../../../git/checkout/observe-checkout.js';
import { findCheckout } from '../../../git/repository/find-checkout.js';
import type { WorkTreePlace } from '../../../git/work-tree-place.js';
import type { Context } from '../../../operations/context.js';
import { type CheckoutEvidence, createEvidence } from './checkout-evidence.js';

/**
 * Watches the user's checkout while an agent works elsewhere on the host. In a sandbox the agent cannot reach it.
 *
 * The user may work in the checkout meanwhile, which is what workspaces are for, so a change alone says nothing about the
 * agent, and without tracing the system does not record which process wrote a file. The agent is blamed only on evidence:
 * a git that it started, which names its work tree in a trace that those gits write, or a path that it printed within
 * seconds of the change. Reflogs and committers are not evidence: agents commit in the user's name. Everything else is
 * reported: as a warning when no other process works in the checkout, else in the log.
 */
export interface CheckoutWatch {
  readonly environment: Readonly<Record<string, string>>;
  readonly readOutput: (text: string) => void;
  readonly compare: () => Promise<CheckoutComparison>;
}

export interface CheckoutComparison {
  /** What the agent did to the checkout. */
  readonly failure?: Omit<Failure, 'stage'> | undefined;
  readonly warning?: string | undefined;
  readonly note?: string | undefined;
}

export async function watchCheckout(
  context: Pick<Context, 'store' | 'backends' | 'git' | 'now' | 'environment'>,
  record: WorkspaceRecord,
  handoff: Handoff,
): Promise<CheckoutWatch | undefined> {
  const { git, environment, backends } = context;
  if (record.sandbox || !backends.of(record.backend).ownsFiles || record.commonDir === null) return undefined;
  const place = await findCheckout(git, record.repository);
  const before = place && (await observeCheckout(git, place));
  if (!before) return undefined;
  const events = join(dirname(handoff.seen.promptFile), 'git-events');
  const evidence = createEvidence(place.workTree, events, context.now);
  return {
    // A user who traces git has a reason to.
    environment: environment.GIT_TRACE2_EVENT
      ? {}
      : { GIT_TRACE2_EVENT: events, GIT_TRACE2_EVENT_BRIEF: '1' },
    readOutput: evidence.readOutput,
    compare: () => compare(context, record, { place, before, evidence }),
  };
}

interface Seen {
  readonly place: WorkTreePlace;
  readonly before: CheckoutObservation;
  readonly evidence: CheckoutEvidence;
}

async function compare(
  context: Pick<Context, 'store' | 'git'>,
  record: WorkspaceRecord,
  { place, before, evidence }: Seen,
): Promise<CheckoutComparison> {
  const after = await observeCheckout(context.git, place);
  if (!after) return {};
  const own = await listOwnRefs(context, record);
  const changes = compareObservations(before, after, place.workTree, name => own.has(name));
  if (changes.length === 0) return {};
  const reason = await evidence.find(changes);
  const what = describeChanges(changes);
  if (reason !== undefined) return { failure: describeAgentChange(record, place, before, { what, reason }) };
  if (before.head !== after.head && (await hasLanded(place))) return {};
  const text = `${place.workTree} changed while the agent worked (${what}); there is no evidence that the agent did it`;
  return (await isUsed(place.workTree))
    ? { note: text }
    : { warning: `${text}; check it if you did not make this change` };
}

/** Whether Carrel moved the checkout last, by landing another workspace. */
async function hasLanded({ gitDir }: WorkTreePlace): Promise<boolean> {
  const log = (await readFile(join(gitDir, 'logs/HEAD'), 'utf8').catch(ignoreMissing)) ?? '';
  return /\tcarrel: .*\n$/.test(log.slice(-4096));
}

/** An agent moves the branch of its workspace. */
async function listOwnRefs(
  { store }: Pick<Context, 'store'>,
  { repositoryId }: WorkspaceRecord,
): Promise<Set<string>> {
  const records = await store.workspaces.list({ repositoryId });
  return new Set(records.map(({ branch }) => `refs/heads/${branch}`));
}

const MOST_SHOWN = 5;

function describeChanges(changes: readonly CheckoutChange[]): string {
  const shown = changes.slice(0, MOST_SHOWN).map(({ text }) => text);
  const more = changes.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function describeAgentChange(
  { path }: WorkspaceRecord,
  { workTree }: WorkTreePlace,
  { head }: CheckoutObservation,
  { what, reason }: { readonly what: string; readonly reason: string },
): Omit<Failure, 'stage'> {
  return {
    kind: 'checkout-changed',
    message: `the agent changed your checkout ${workTree}: ${what} (${reason}); expected it to change ${path} only`,
    hint: `inspect it with: git -C ${workTree} status; go back to its previous commit with: git -C ${workTree} reset --keep ${head.slice(0, 12)}`,
    output: null,
  };
}

/** Whether another process works there, other than this one and its parents. */
async function isUsed(workTree: string): Promise<boolean> {
  const callers = new Set(ancestorsOf(process.pid));
  const inside = await findProcessesInside(workTree);
  return inside.some(({ identity }) => !callers.has(identity.pid));
}
