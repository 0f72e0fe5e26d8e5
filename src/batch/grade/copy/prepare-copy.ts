import { setUp } from '../../environment/run-item-setup.js';
import type { GradingBench } from '../grading-context.js';
import { applyPatch } from './apply-patch.js';
import { type HiddenFiles, placeHidden } from './hidden-files.js';
import { splitPatch } from './patch-sections.js';

export type PreparedCopy =
  | { readonly hidden: HiddenFiles }
  /** Why there is nothing to grade: an infrastructure failure, or the item's fault. */
  | { readonly fault: 'infrastructure' | 'item'; readonly problem: string };

/**
 * Prepares a fresh copy for grading: setup, the agent's changes, and what the agent never saw. The hidden patch comes
 * before the changes, with which it shares no file: their .gitattributes could keep git from applying it.
 */
export async function prepareCopy(bench: GradingBench): Promise<PreparedCopy> {
  const setup = await setUp(bench.environment, bench.item, bench.signal);
  if (setup !== undefined) return { fault: 'infrastructure', problem: setup.message };
  const unfit = await applyHidden(bench);
  if (unfit !== undefined) return { fault: 'item', problem: `cannot apply the hidden patch: ${unfit}` };
  const problem = await applyPatch(bench, bench.sections);
  if (problem !== undefined)
    return { fault: 'infrastructure', problem: `cannot apply the agent's changes: ${problem}` };
  return { hidden: await placeHidden(bench) };
}

async function applyHidden(bench: GradingBench): Promise<string | undefined> {
  const { hiddenPatch } = bench.item;
  if (hiddenPatch === undefined) return undefined;
  const sections = splitPatch(Buffer.from(hiddenPatch));
  return sections.length === 0 ? 'it changes no file' : await applyPatch(bench, sections);
}
