import type { Attempt } from '../../../../../src/domain/batch/attempt.js';
import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import { isGraded } from '../../../../../src/domain/batch/outcome-rules.js';
import { Histogram } from '../../../components/charts/histogram.js';
import { type Rate, RateChart } from '../../../components/charts/rate-chart.js';
import { formatCost, formatSpan } from '../../../components/text/amounts.js';

/** Fewer values make no useful chart. */
const FEWEST = 3;

export function BatchCharts({ run }: { readonly run: BatchRun }) {
  const judged = run.attempts.filter(({ outcome }) => isGraded(outcome));
  if (judged.length === 0) return null;
  const costs = judged.map(({ costUsd }) => costUsd).filter(cost => cost !== null);
  const labelOf = (name: 'difficulty' | 'language') => (attempt: Attempt) =>
    run.labels[attempt.taskId]?.[name] ?? 'unknown';
  return (
    <section className="card" aria-labelledby="charts">
      <h2 id="charts">Charts</h2>
      <div className="charts">
        <RateChart title="Passed by difficulty" rates={ratesOf(judged, labelOf('difficulty'))} />
        <RateChart title="Passed by language" rates={ratesOf(judged, labelOf('language'))} />
        {judged.length >= FEWEST && (
          <Histogram
            title="Time per attempt"
            values={judged.map(({ durationMs }) => durationMs)}
            format={formatSpan}
          />
        )}
        {costs.length >= FEWEST && <Histogram title="Cost per attempt" values={costs} format={formatCost} />}
      </div>
    </section>
  );
}

function ratesOf(attempts: readonly Attempt[], groupOf: (attempt: Attempt) => string): readonly Rate[] {
  const groups = new Map<string, { name: string; passed: number; judged: number }>();
  for (const attempt of attempts) {
    const name = groupOf(attempt);
    const group = groups.get(name) ?? { name, passed: 0, judged: 0 };
    group.judged += 1;
    group.passed += Number(attempt.outcome === 'passed');
    groups.set(name, group);
  }
  return [...groups.values()].sort((a, b) => rankOf(a.name) - rankOf(b.name) || a.name.localeCompare(b.name));
}

const DIFFICULTIES = ['easy', 'medium', 'hard'];
const rankOf = (name: string): number => DIFFICULTIES.indexOf(name);
