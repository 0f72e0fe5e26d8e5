import type { Attempt } from '../../../../../src/domain/batch/attempt.js';
import { Facts } from '../../../components/page/facts.js';
import { Age } from '../../../components/text/age.js';
import { formatCost, formatSpan } from '../../../components/text/amounts.js';

export function AttemptFacts({ attempt }: { readonly attempt: Attempt }) {
  const { usage, costUsd, timings, worktreePath, exitCode, setupExitCode } = attempt;
  const tokens = usage.inputTokens + usage.outputTokens;
  return (
    <section className="card" aria-label="Facts">
      <Facts
        of={[
          ['Time', formatSpan(attempt.durationMs)],
          ['Agent', formatSpan(timings.agentMs)],
          ['Setup', formatSpan(timings.acquireMs + timings.setupMs)],
          ['Grading', formatSpan(timings.gradeMs)],
          ['Exit status', exitCode === null ? undefined : String(exitCode)],
          ['Setup failed', setupExitCode === null ? undefined : `exit status ${setupExitCode}`],
          ['Cost', costUsd === null ? 'unknown' : formatCost(costUsd)],
          ['Tokens', tokens === 0 ? undefined : tokens.toLocaleString('en')],
          ['Begun', <Age key="begun" at={attempt.startedAt} />],
          [
            'Files kept',
            worktreePath === null ? undefined : (
              <span key="files" className="path">
                {worktreePath}
              </span>
            ),
          ],
          ...Object.entries(attempt.environment),
        ]}
      />
    </section>
  );
}
