import { useMemo } from 'react';
import type { BatchRun } from '../../../../../src/domain/batch/batch-run.js';
import { ProblemError } from '../../../../../src/surfaces/client/problem-error.js';
import { LogView } from '../../../components/log/log-view.js';
import type { ShownLine } from '../../../components/log/shown-line.js';
import { AnswerView } from '../../../components/page/answer-view.js';
import { useAnswer } from '../../../server/use-answer.js';

export interface AttemptLogProperties {
  readonly run: BatchRun;
  readonly taskId: string;
  readonly attempt: number;
  /** The log of a running attempt grows. */
  readonly isEnded: boolean;
}

const EVERY_MS = 2_000;

/** The output of the agent. */
export function AttemptLog({ run, taskId, attempt, isEnded }: AttemptLogProperties) {
  const isLive = !isEnded && run.status === 'running';
  const answer = useAnswer({
    key: `log ${run.id} ${taskId} ${attempt} ${isLive}`,
    load: (client, signal) => readLog(client.batches.log(run.id, taskId, attempt, { signal })),
    everyMs: isLive ? EVERY_MS : undefined,
  });
  return (
    <section className="card" aria-labelledby="log">
      <h2 id="log">Log</h2>
      <AnswerView answer={answer}>{text => <Lines text={text} isLive={isLive} />}</AnswerView>
    </section>
  );
}

function Lines({ text, isLive }: { readonly text: string; readonly isLive: boolean }) {
  const lines = useMemo(() => toLines(text), [text]);
  return <LogView lines={lines} isLive={isLive} />;
}

const toLines = (text: string): readonly ShownLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map(line => ({ at: null, stage: null, attempt: 1, stream: 'stdout', text: line }));

/** An attempt that has not started has none. */
async function readLog(log: Promise<string>): Promise<string> {
  try {
    return await log;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'ATTEMPT_NOT_FOUND') return '';
    throw error;
  }
}
