import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import { Facts } from '../../../components/page/facts.js';
import { Age } from '../../../components/text/age.js';
import { countOf, formatCost, formatDuration, formatShare } from '../../../components/text/amounts.js';

export function BatchFacts({ run }: { readonly run: BatchRun }) {
  const { costUsd, spentUsd, costLimitUsd, skipped } = run;
  return (
    <section className="card" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <Facts
        of={[
          [
            'Dataset',
            <span key="dataset" className="path">
              {run.dataset}
            </span>,
          ],
          ['Agent', [run.agent, run.model].filter(Boolean).join(', ')],
          ['Isolation', run.isolation],
          ['Tasks', `${run.taskIds.length}, ${countOf(run.attemptsPerTask, 'attempt')} each`],
          ['Parallelism', String(run.parallelism)],
          ['Attempts by host', hostsText(run.attempts)],
          ['Pass at k', passAtText(run.passAtK)],
          ['Cost', costUsd === null ? 'unknown' : formatCost(costUsd)],
          ['Spent', spentUsd === null || spentUsd === costUsd ? undefined : formatCost(spentUsd)],
          ['Cost limit', costLimitUsd === null ? undefined : formatCost(costLimitUsd)],
          ['Time', formatDuration(run.durationMs)],
          ['Begun', <Age key="begun" at={run.createdAt} />],
          [
            'Files',
            <span key="files" className="path">
              {run.directory}
            </span>,
          ],
          ...Object.entries(run.environment).map(([name, value]) => [name, value] as const),
        ]}
      />
      {skipped.length > 0 && (
        <details className="skipped">
          <summary>{countOf(skipped.length, 'task')} left out</summary>
          <ul>
            {skipped.map(({ id, reason }) => (
              <li key={id}>
                <strong>{id}</strong>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function passAtText(passAtK: BatchRun['passAtK']): string | undefined {
  const parts = Object.entries(passAtK).map(([k, share]) => `${k}: ${formatShare(share)}`);
  return parts.length < 2 ? undefined : parts.join(', ');
}

/** Only of a run on several machines. */
function hostsText(attempts: BatchRun['attempts']): string | undefined {
  const byHost = new Map<string, number>();
  for (const { environment } of attempts)
    if (environment.host) byHost.set(environment.host, (byHost.get(environment.host) ?? 0) + 1);
  return byHost.size < 2 ? undefined : [...byHost].map(([host, count]) => `${host}: ${count}`).join(', ');
}
