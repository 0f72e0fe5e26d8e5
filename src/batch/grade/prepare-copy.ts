import { setUp } from '../set-up.js';
import { applyPatch } from './apply-patch.js';
import type { GradingBench } from './grading-bench.js';
import { type HiddenFiles, placeHidden } from './hidden-files.js';
import { splitPatch } from './patch-sections.js';

export type PreparedCopy =
  | { readonly hidden: HiddenFiles }
  /** Why there is nothing to grade: the machine's fault, or the item's. */
  | { readonly fault: 'infrastructure' | 'item'; readonly problem: string };

/**
 * Brings a fresh copy to what is graded: setup, the agent's changes, and what the agent never saw. The hidden patch comes
 * before the changes, with which it shares no file: their .gitattributes could keep git from applying it.
 */
export async function prepareCopy(bench: GradingBench): Promise<PreparedCopy> {
  const setup = await setUp(bench.environment, bench.item, bench.signal);
  if (setup !== undefined) return { fault: 'infrastructure', problem: setup.message };
  const unfit = await applyHidden(bench);
  if (unfit !== undefined) return { fault: 'item', problem: `the hidden patch can't be applied: ${unfit}` };
  const problem = await applyPatch(bench, bench.sections);
  if (problem !== undefined)
    return { fault: 'infrastructure', problem: `the agent's changes could not be applied: ${problem}` };
  return { hidden: await placeHidden(bench) };
}

async function applyHidden(bench: GradingBench): Promise<string | undefined> {
  const { hiddenPatch } = bench.item;
  if (hiddenPatch === undefined) return undefined;
  const sections = splitPatch(Buffer.from(hiddenPatch));
  return sections.length === 0 ? 'it changes no file' : await applyPatch(bench, sections);
}
