import { AnswerView } from '../../components/page/answer-view.js';
import { EmptyState } from '../../components/page/empty-state.js';
import { PageHead } from '../../components/page/page-head.js';
import { DataTable } from '../../components/table/data-table.js';
import { countOf } from '../../components/text/amounts.js';
import { Command } from '../../components/text/command.js';
import { visibleText } from '../../components/text/visible-text.js';
import { useAnswer } from '../../server/use-answer.js';
import type { FleetStatus } from './fleet-status.js';
import { HOST_COLUMNS } from './host-columns.js';
import { RUN_COLUMNS } from './run-columns.js';
import { RunningAttempts } from './running-attempts.js';

/** Hosts send beats to the fleet, and no events to the server. */
const EVERY_MS = 3_000;

export function FleetPage() {
  const answer = useAnswer({
    key: 'fleet',
    load: (client, signal) => client.fleet.status({ signal }),
    everyMs: EVERY_MS,
  });
  return (
    <>
      <PageHead title="Fleet" note={answer.data && <Address status={answer.data} />} />
      <AnswerView answer={answer}>{status => <Fleet status={status} />}</AnswerView>
    </>
  );
}

function Address({ status: { fleet, hosts } }: { readonly status: FleetStatus }) {
  if (fleet === null) return null;
  const present = hosts.filter(({ state }) => state !== 'gone');
  const busy = present.reduce((sum, { claims }) => sum + claims.length, 0);
  const slots = present.reduce((sum, each) => sum + each.slots, 0);
  return (
    <>
      <code>{visibleText(fleet)}</code> · {countOf(present.length, 'host')}, {busy} of{' '}
      {countOf(slots, 'slot')} in use
    </>
  );
}

function Fleet({ status: { fleet, hosts, runs } }: { readonly status: FleetStatus }) {
  if (fleet === null)
    return (
      <EmptyState title="This server knows no fleet">
        Create one with <Command text="carrel fleet init local" />, or start the server with{' '}
        <code>CARREL_FLEET</code> set to its address.
      </EmptyState>
    );
  return (
    <div className="fleet">
      <Hosts hosts={hosts} />
      <RunningAttempts hosts={hosts} />
      <Runs runs={runs} />
    </div>
  );
}

function Hosts({ hosts }: Pick<FleetStatus, 'hosts'>) {
  return (
    <section aria-labelledby="hosts">
      <h2 id="hosts">Hosts</h2>
      {hosts.map(
        ({ id, name, state, refusing }) =>
          state === 'refusing' && (
            <p key={id} className="banner warning">
              <strong>{visibleText(name)}</strong> takes no jobs: {visibleText(refusing ?? '')}
            </p>
          ),
      )}
      {hosts.length === 0 ? (
        <EmptyState title="No worker has connected yet">
          Start one on each machine: <Command text="carrel worker --on FLEET" />
        </EmptyState>
      ) : (
        <DataTable
          caption="Hosts of the fleet"
          rows={hosts}
          columns={HOST_COLUMNS}
          keyOf={({ id }) => id}
          sortedBy="host-name"
        />
      )}
    </section>
  );
}

function Runs({ runs }: Pick<FleetStatus, 'runs'>) {
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      {runs.length === 0 ? (
        <EmptyState title="No run has been submitted yet">
          Run a batch on the fleet:{' '}
          <Command text="carrel eval run --on FLEET --dataset golden --agent oracle" />
        </EmptyState>
      ) : (
        <DataTable
          caption="Runs of the fleet"
          rows={runs}
          columns={RUN_COLUMNS}
          keyOf={({ run }) => run}
          sortedBy="-run-submitted"
        />
      )}
    </section>
  );
}
