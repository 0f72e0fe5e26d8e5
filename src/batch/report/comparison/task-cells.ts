import type { Attempt, Outcome } from '../../../domain/batch/attempt.js';
import type { TaskCell } from '../../../domain/batch/comparison.js';
import { isGraded } from '../../../domain/batch/outcome-rules.js';
import { mean } from '../statistics/percentile.js';

/** The result of a run for each task, over all its attempts. */
export function cellsByTask(attempts: readonly Attempt[]): ReadonlyMap<string, TaskCell> {
  return new Map([...attemptsByTask(attempts)].map(([taskId, those]) => [taskId, toCell(those)]));
}

/** In the order of the attempts' numbers. */
export function attemptsByTask(attempts: readonly Attempt[]): ReadonlyMap<string, readonly Attempt[]> {
  const byTask = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const those = byTask.get(attempt.taskId);
    if (those === undefined) byTask.set(attempt.taskId, [attempt]);
    else those.push(attempt);
  }
  for (const those of byTask.values()) those.sort((a, b) => a.attempt - b.attempt);
  return byTask;
}

function toCell(attempts: readonly Attempt[]): TaskCell {
  const judged = attempts.filter(({ outcome }) => isGraded(outcome));
  const passed = judged.filter(({ outcome }) => outcome === 'passed').length;
  const hashes = [...new Set(attempts.map(({ itemHash }) => itemHash))];
  return {
    itemHash: hashes.length === 1 ? (hashes[0] ?? null) : null,
    outcome: mostFrequentOutcome(judged.length > 0 ? judged : attempts),
    solved: judged.length === 0 ? null : passed > judged.length / 2,
    passed,
    judged: judged.length,
    score: mean(judged.map(({ score }) => score)),
    costUsd: mean(attempts.flatMap(({ costUsd }) => costUsd ?? [])),
    agentMs: mean(attempts.map(({ timings }) => timings.agentMs)) ?? 0,
  };
}

/** On a tie the worse outcome, because `solved` needs more than half. */
function mostFrequentOutcome(attempts: readonly Attempt[]): Outcome {
  const counts = new Map<Outcome, number>();
  for (const { outcome } of attempts) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const ranked = [...counts].sort(
    ([a, countA], [b, countB]) => countB - countA || Number(a === 'passed') - Number(b === 'passed'),
  );
  return ranked[0]?.[0] ?? 'cancelled';
}
