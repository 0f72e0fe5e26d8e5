import type { Stage } from '../../../../src/domain/task.js';
import type { StageStatus } from '../../../../src/domain/task-status.js';
import type { Tone } from '../../components/badge.js';

const TONES: Readonly<Record<StageStatus, Tone>> = {
  pending: 'neutral',
  running: 'accent',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  interrupted: 'warning',
};

/** One mark for each stage, and in words how far it is. */
export function StageProgress({ stages }: { readonly stages: readonly Stage[] }) {
  const done = stages.filter(({ status }) => status === 'succeeded').length;
  const current = stages.find(({ status }) => status === 'running');
  return (
    <span className="stages">
      <span className="stage-marks" aria-hidden="true">
        {stages.map(({ name, status }) => (
          <span key={name} className={`stage-mark ${TONES[status]}`} title={`${name}: ${status}`} />
        ))}
      </span>
      <span>
        {current ? `${current.name}, ` : ''}
        {done} of {stages.length} done
      </span>
    </span>
  );
}
