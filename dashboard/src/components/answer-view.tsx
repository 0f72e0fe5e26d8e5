import type { ReactNode } from 'react';
import { ProblemError } from '../../../src/client/problem-error.js';
import type { Answer } from '../server/use-answer.js';
import { Loading } from './loading.js';
import { ProblemView } from './problem-view.js';

/** An answer in each of its states; an old one stays below the problem that kept it from being renewed. */
export function AnswerView<T>({
  answer,
  children,
}: {
  readonly answer: Answer<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, refresh } = answer;
  const error = isSignedOut(answer.error) ? undefined : answer.error;
  return (
    <>
      {error && <ProblemView error={error} onRetry={refresh} />}
      {data === undefined ? !answer.error && <Loading /> : children(data)}
    </>
  );
}

/** The banner above the page says it once for all. */
const isSignedOut = (error: Error | undefined): boolean =>
  error instanceof ProblemError && error.status === UNAUTHORIZED;
const UNAUTHORIZED = 401;
