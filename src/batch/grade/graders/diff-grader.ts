import type { Grader } from '../../../domain/batch/eval-item.js';
import { type PatchSection, splitPatch } from '../copy/patch-sections.js';
import type { GradingBench } from '../grading-context.js';
import { judged, type Verdict } from '../verdict.js';

/** Similarity to the reference changes: twice the shared lines divided by the total of both (Dice coefficient). */
export function gradeByDiff(
  { sections }: GradingBench,
  { reference, threshold = 1 }: Extract<Grader, { kind: 'diff' }>,
): Verdict {
  const own = countChanges(sections);
  const wanted = countChanges(splitPatch(Buffer.from(reference)));
  const total = sum(own) + sum(wanted);
  const score = total === 0 ? 1 : (2 * countShared(own, wanted)) / total;
  return judged(score, score >= threshold, `${Math.round(score * 100)} % of the changed lines are the same.`);
}

type Counts = ReadonlyMap<string, number>;

/** Changed lines by file, trimmed; position and context do not count. */
function countChanges(sections: readonly PatchSection[]): Counts {
  const counts = new Map<string, number>();
  for (const section of sections)
    for (const line of changesOf(section)) {
      const key = `${section.to}\0${line}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
}

/** Besides lines: whether a file is new, deleted, moved or has another mode, and the data of a binary file. */
function changesOf({ text }: PatchSection): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex(line => /^(@@ |GIT binary patch)/.test(line));
  const headers = start === -1 ? lines : lines.slice(0, start);
  const isBinary = start !== -1 && !lines[start]?.startsWith('@@ ');
  const body = start === -1 ? [] : lines.slice(start + 1);
  return [
    ...headers.filter(line => /^(new mode|new file|deleted file|rename from|copy from)/.test(line)),
    ...body
      .filter(line => (isBinary ? line !== '' : /^[+-]\s*\S/.test(line)))
      .map(line => (isBinary ? line : `${line[0]}${line.slice(1).trim()}`)),
  ];
}

const sum = (counts: Counts): number => [...counts.values()].reduce((total, count) => total + count, 0);

const countShared = (own: Counts, wanted: Counts): number =>
  [...own].reduce((total, [key, count]) => total + Math.min(count, wanted.get(key) ?? 0), 0);
