import type { Overview } from '../../../../src/domain/api/overview.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { Gauge } from '../../components/status/gauge.js';
import { lastPart } from '../../components/text/amounts.js';
import { Command } from '../../components/text/command.js';

type Pool = Overview['pools'][number];

/** How many warm workspaces each repository has. */
export function Pools({ pools }: { readonly pools: readonly Pool[] }) {
  return (
    <section className="card" aria-labelledby="pools">
      <h2 id="pools">Pools</h2>
      {pools.length === 0 ? (
        <EmptyState title="No warm workspaces">
          Create some: <Command text="carrel pool warm 2" />
        </EmptyState>
      ) : (
        <ul className="gauges">
          {pools.map(pool => (
            <PoolGauge key={pool.repository} pool={pool} />
          ))}
        </ul>
      )}
    </section>
  );
}

function PoolGauge({ pool }: { readonly pool: Pool }) {
  const { repository, cap, free, leased, busy, quarantined } = pool;
  return (
    <li>
      <p className="gauge-line">
        <strong title={repository}>{lastPart(repository)}</strong>
        <span>
          {free} free, {leased} leased{busy > 0 && `, ${busy} busy`} of {cap}
        </span>
      </p>
      <Gauge
        label={`Pool of ${lastPart(repository)}`}
        total={cap + quarantined}
        parts={[
          { name: 'leased', amount: leased, tone: 'accent' },
          { name: 'busy', amount: busy, tone: 'warning' },
          { name: 'free', amount: free, tone: 'good' },
          { name: 'in quarantine', amount: quarantined, tone: 'bad' },
        ]}
      />
      {quarantined > 0 && <p className="hint">{quarantined} in quarantine: see carrel pool status</p>}
    </li>
  );
}
