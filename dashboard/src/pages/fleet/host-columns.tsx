import { Badge, type Tone } from '../../components/status/badge.js';
import { Gauge } from '../../components/status/gauge.js';
import type { Column } from '../../components/table/column.js';
import { formatBytes, formatDuration } from '../../components/text/amounts.js';
import { visibleText } from '../../components/text/visible-text.js';
import type { Host } from './fleet-status.js';

const TONES: Readonly<Record<Host['state'], Tone>> = {
  working: 'good',
  draining: 'accent',
  refusing: 'warning',
  silent: 'bad',
  gone: 'neutral',
};

const ORDER: readonly Host['state'][] = ['silent', 'refusing', 'working', 'draining', 'gone'];

/** The order is in the URL, where each table of the page needs other keys. */
export const HOST_COLUMNS: readonly Column<Host>[] = [
  {
    key: 'host-name',
    title: 'Host',
    cell: ({ id, name }) => <span title={visibleText(id)}>{visibleText(name)}</span>,
    sortBy: ({ name }) => name,
  },
  {
    key: 'host-state',
    title: 'State',
    cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
    sortBy: ({ state }) => ORDER.indexOf(state),
  },
  {
    key: 'host-slots',
    title: 'Slots',
    cell: host => <Slots host={host} />,
    sortBy: ({ claims }) => claims.length,
  },
  {
    key: 'host-beat',
    title: 'Last beat',
    alignsEnd: true,
    cell: ({ silentForMs }) => `${formatDuration(silentForMs)} ago`,
    sortBy: ({ silentForMs }) => silentForMs,
  },
  {
    key: 'host-disk',
    title: 'Free disk',
    needs: 'medium',
    alignsEnd: true,
    cell: ({ diskFreeBytes }) => (diskFreeBytes === null ? '' : formatBytes(diskFreeBytes)),
    sortBy: ({ diskFreeBytes }) => diskFreeBytes,
  },
  {
    key: 'host-versions',
    title: 'Versions',
    needs: 'medium',
    cell: ({ versions }) => listVersions(versions),
    sortBy: ({ versions }) => listVersions(versions),
  },
  {
    key: 'host-labels',
    title: 'Labels',
    needs: 'wide',
    cell: ({ labels }) => labels.join(', '),
    sortBy: ({ labels }) => labels.join(', '),
  },
];

function Slots({ host: { name, slots, claims } }: { readonly host: Host }) {
  return (
    <span className="slots">
      <Gauge
        label={`Slots of ${visibleText(name)}`}
        total={slots}
        parts={[{ name: 'in use', amount: claims.length, tone: 'accent' }]}
      />
      {claims.length} of {slots}
    </span>
  );
}

const listVersions = (versions: Host['versions']): string =>
  Object.entries(versions)
    .map(([program, version]) => `${program} ${version}`)
    .join(', ');
