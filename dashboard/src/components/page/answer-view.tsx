import type { ReactNode } from 'react';
import { ProblemError } from '../../../../src/surfaces/client/problem-error.js';
import type { Answer } from '../../server/use-answer.js';
import { Loading } from './loading.js';
import { ProblemView } from './problem-view.js';

/** A response in each of its states; after a failed refresh the old one stays below the error. */
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

/** The banner above the page reports it once. */
const isSignedOut = (error: Error | undefined): boolean =>
  error instanceof ProblemError && error.status === UNAUTHORIZED;
const UNAUTHORIZED = 401;
