import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { PageHead } from '../../../components/page/page-head.js';
import { lastPart } from '../../../components/text/amounts.js';
import type { PageProperties } from '../../../shell/page.js';
import { BatchStatus } from '../batch-status.js';
import { useBatch } from '../use-batch.js';
import { BatchActions } from './batch-actions.js';
import { BatchCharts } from './batch-charts.js';
import { BatchFacts } from './batch-facts.js';
import { BatchMatrix } from './batch-matrix.js';
import { BatchProgress } from './batch-progress.js';

export function BatchPage({ parameters }: PageProperties) {
  const answer = useBatch(parameters.id ?? '');
  return (
    <>
      {!answer.data && <PageHead title="Batch" />}
      <AnswerView answer={answer}>{run => <BatchView run={run} onChange={answer.refresh} />}</AnswerView>
    </>
  );
}

function BatchView({ run, onChange }: { readonly run: BatchRun; readonly onChange: () => void }) {
  return (
    <>
      <PageHead
        title={`${lastPart(run.dataset)}, ${run.agent}`}
        note={
          <span role="status" className="badges">
            <BatchStatus status={run.status} /> <code>{run.id}</code>
          </span>
        }
      >
        <BatchActions run={run} onChange={onChange} />
      </PageHead>
      <BatchProgress run={run} />
      <BatchMatrix run={run} />
      <BatchCharts run={run} />
      <BatchFacts run={run} />
    </>
  );
}
