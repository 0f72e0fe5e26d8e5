import { setUp } from '../set-up.js';
import { applyPatch } from './apply-patch.js';
import type { GradingBench } from './grading-bench.js';
import { splitPatch } from './patch-sections.js';

/** Why there is nothing to grade: the machine's fault, or the item's. */
export type PreparationProblem =
  | { readonly fault: 'infrastructure'; readonly problem: string }
  | { readonly fault: 'item'; readonly problem: string };

/** Brings a fresh copy to what is graded: setup, the agent's changes, then what the agent never saw. */
export async function prepareCopy(bench: GradingBench): Promise<PreparationProblem | undefined> {
  const { item, environment } = bench;
  const setup = await setUp(environment, item, bench.signal);
  if (setup !== undefined) return { fault: 'infrastructure', problem: setup };
  const problem = await applyPatch(bench, bench.sections);
  if (problem !== undefined)
    return { fault: 'infrastructure', problem: `the agent's changes could not be applied: ${problem}` };
  const hidden = await applyHidden(bench);
  if (hidden !== undefined) return { fault: 'item', problem: `the hidden patch can't be applied: ${hidden}` };
  for (const [path, content] of Object.entries(item.hidden ?? {}))
    await environment.writeFile(path, Buffer.from(content), { executable: content.startsWith('#!') });
  return undefined;
}

async function applyHidden(bench: GradingBench): Promise<string | undefined> {
  const { hiddenPatch } = bench.item;
  if (hiddenPatch === undefined) return undefined;
  const sections = splitPatch(Buffer.from(hiddenPatch));
  return sections.length === 0 ? 'it changes no file' : await applyPatch(bench, sections);
}
