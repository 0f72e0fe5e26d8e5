import type { BatchRun } from '../../../../src/domain/batch/batch-run.js';
import { Badge, type Tone } from '../../components/status/badge.js';

const TONES: Readonly<Record<BatchRun['status'], Tone>> = {
  running: 'accent',
  finished: 'good',
  stopped: 'neutral',
  interrupted: 'warning',
};

export function BatchStatus({ status }: { readonly status: BatchRun['status'] }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
