import type { Overview } from '../../../../src/domain/api/overview.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { PageHead } from '../../components/page/page-head.js';
import { countOf } from '../../components/text/amounts.js';
import { useOverview } from '../../shell/overview-provider.js';
import { Link } from '../../shell/router.js';
import { ActiveTasks } from './active-tasks.js';
import { Alerts } from './alerts.js';
import { Disks } from './disks.js';
import { Pools } from './pools.js';
import { RecentTasks } from './recent-tasks.js';

export function OverviewPage() {
  const answer = useOverview();
  return (
    <>
      <PageHead title="Overview" note={answer.data && <Counts overview={answer.data} />} />
      <AnswerView answer={answer}>
        {overview => (
          <div className="overview">
            <Alerts alerts={overview.alerts} />
            <ActiveTasks running={overview.running} waiting={overview.waiting} />
            <RecentTasks tasks={overview.recent} />
            <Pools pools={overview.pools} />
            <Disks disks={overview.disks} />
          </div>
        )}
      </AnswerView>
    </>
  );
}

function Counts({ overview }: { readonly overview: Overview }) {
  return (
    <>
      {overview.running.length} running, {overview.waiting.length} waiting ·{' '}
      <Link href="/workspaces">{countOf(overview.workspaces, 'workspace')}</Link> ·{' '}
      <Link href="/snapshots">{countOf(overview.snapshots, 'snapshot')}</Link>
    </>
  );
}
