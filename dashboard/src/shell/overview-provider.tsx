import { createContext, type ReactNode, useContext } from 'react';
import type { Overview } from '../../../src/domain/api/overview.js';
import { type Answer, useAnswer } from '../server/use-answer.js';

const OverviewContext = createContext<Answer<Overview> | undefined>(undefined);

/** Disks and pools change without events. */
const EVERY_MS = 30_000;
/** The server sends the same response to all requests within a second (src/surfaces/http/overview/overview-routes.ts). */
const OLDEST_MS = 1_000;

/** Requested once for the menu and all pages. */
export function OverviewProvider({ children }: { readonly children: ReactNode }) {
  const answer = useAnswer({
    key: 'overview',
    load: (client, signal) => client.overview({ signal }),
    changesWith: () => true,
    everyMs: EVERY_MS,
    oldestMs: OLDEST_MS,
  });
  return <OverviewContext value={answer}>{children}</OverviewContext>;
}

export function useOverview(): Answer<Overview> {
  const answer = useContext(OverviewContext);
  if (!answer) throw new Error('useOverview is used outside of OverviewProvider');
  return answer;
}
