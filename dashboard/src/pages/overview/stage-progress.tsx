import type { Stage } from '../../../../src/domain/task/task.js';
import { STAGE_TONES } from '../../components/status/stage-tones.js';

/** One mark for each stage, and the progress as text. */
export function StageProgress({ stages }: { readonly stages: readonly Stage[] }) {
  const done = stages.filter(({ status }) => status === 'succeeded').length;
  const current = stages.find(({ status }) => status === 'running');
  return (
    <span className="stages">
      <span className="stage-marks" aria-hidden="true">
        {stages.map(({ name, status }) => (
          <span key={name} className={`stage-mark ${STAGE_TONES[status]}`} title={`${name}: ${status}`} />
        ))}
      </span>
      <span>
        {current ? `${current.name}, ` : ''}
        {done} of {stages.length} done
      </span>
    </span>
  );
}
