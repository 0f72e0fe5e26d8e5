import type { Grader } from '../../domain/eval-item.js';
import type { GradingBench } from './grading-bench.js';
import { type PatchSection, splitPatch } from './patch-sections.js';
import { judged, type Verdict } from './verdict.js';

/** How much of what was changed is what the reference changes: twice what they share, through what both have. */
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

/** Changed lines by file, without white space at both ends; where they stand and what is around them does not count. */
function countChanges(sections: readonly PatchSection[]): Counts {
  const counts = new Map<string, number>();
  for (const section of sections)
    for (const line of changesOf(section)) {
      const key = `${section.to}\0${line}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  return counts;
}

/** Beside lines: that a file is new, gone, moved or has another mode, and the data of a binary one. */
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
