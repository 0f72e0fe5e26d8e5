import { createContext, type ReactNode, useContext } from 'react';
import type { Overview } from '../../../src/domain/overview.js';
import { type Answer, useAnswer } from '../server/use-answer.js';

const OverviewContext = createContext<Answer<Overview> | undefined>(undefined);

/** Disks and pools fill without an event. */
const EVERY_MS = 30_000;
/** The server gives one answer to all who ask within a second (src/server/routes/overview.ts). */
const OLDEST_MS = 1_000;

/** Asked once for the menu and for all pages. */
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
