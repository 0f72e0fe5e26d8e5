import type { Comparison } from '../../../../../src/domain/batch/comparison.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { EmptyState } from '../../../components/page/empty-state.js';
import { PageHead } from '../../../components/page/page-head.js';
import { useAnswer } from '../../../server/use-answer.js';
import { Link } from '../../../shell/router.js';
import { useChosenRuns } from '../compare-choice.js';
import { ChangedTasks } from './changed-tasks.js';
import { ComparedRuns } from './compared-runs.js';
import { Differences } from './differences.js';
import { Pairs } from './pairs.js';

export function ComparisonPage() {
  const [runs, choose] = useChosenRuns();
  return (
    <>
      <PageHead
        title="Comparison"
        note={<Link href={`/batches?runs=${runs.join(',')}`}>Choose other runs</Link>}
      />
      {runs.length < 2 ? (
        <EmptyState title="There is nothing to compare">
          Choose two or more runs from <Link href="/batches">the batches</Link>.
        </EmptyState>
      ) : (
        <Compared runs={runs} choose={choose} />
      )}
    </>
  );
}

interface ComparedProperties {
  readonly runs: readonly string[];
  readonly choose: (runs: readonly string[]) => void;
}

function Compared({ runs, choose }: ComparedProperties) {
  const answer = useAnswer({
    key: `comparison ${runs.join(' ')}`,
    load: (client, signal) => client.batches.compare(runs, { signal }),
  });
  const makeFirst = (id: string) => choose([id, ...runs.filter(run => run !== id)]);
  return (
    <AnswerView answer={answer}>
      {comparison => <ComparisonView comparison={comparison} makeFirst={makeFirst} />}
    </AnswerView>
  );
}

function ComparisonView({
  comparison,
  makeFirst,
}: {
  readonly comparison: Comparison;
  readonly makeFirst: (id: string) => void;
}) {
  const { runs, pairs, warnings } = comparison;
  return (
    <>
      {warnings.length > 0 && (
        <section className="banner warning" aria-label="Warnings">
          {warnings.map(warning => (
            <p key={warning}>{warning}</p>
          ))}
        </section>
      )}
      <ComparedRuns runs={runs} makeFirst={makeFirst} />
      <Pairs pairs={pairs} runs={runs} />
      <ChangedTasks comparison={comparison} />
      <Differences comparison={comparison} />
    </>
  );
}
