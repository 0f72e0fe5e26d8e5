import type { Overview } from '../../../../src/domain/api/overview.js';
import { Gauge } from '../../components/status/gauge.js';
import { formatBytes } from '../../components/text/amounts.js';

type Disk = Overview['disks'][number];

/** Below a tenth of free space the bar warns. */
const LITTLE = 0.1;

/** The usage of the disks that Carrel writes to. */
export function Disks({ disks }: { readonly disks: readonly Disk[] }) {
  return (
    <section className="card" aria-labelledby="disks">
      <h2 id="disks">Disks</h2>
      <ul className="gauges">
        {disks.map(disk => (
          <DiskGauge key={disk.name} disk={disk} />
        ))}
      </ul>
    </section>
  );
}

function DiskGauge({ disk: { name, path, freeBytes, totalBytes } }: { readonly disk: Disk }) {
  const usedPercent = Math.round((100 * (totalBytes - freeBytes)) / Math.max(totalBytes, 1));
  const tone = freeBytes < LITTLE * totalBytes ? 'bad' : 'accent';
  return (
    <li>
      <p className="gauge-line">
        <strong>{name}</strong>
        <span>
          {formatBytes(freeBytes)} free of {formatBytes(totalBytes)}
        </span>
      </p>
      <Gauge
        label={`Disk of ${name}, in percent`}
        total={100}
        parts={[{ name: 'used', amount: usedPercent, tone }]}
      />
      <p className="hint path">{path}</p>
    </li>
  );
}
