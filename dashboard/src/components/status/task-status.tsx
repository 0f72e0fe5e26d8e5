import type { TaskStatus as Status } from '../../../../src/domain/task/task-status.js';
import { Badge, type Tone } from './badge.js';

const TONES: Readonly<Record<Status, Tone>> = {
  waiting: 'neutral',
  running: 'accent',
  validating: 'accent',
  'waiting-for-approval': 'warning',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  interrupted: 'warning',
};

export function TaskStatus({ status }: { readonly status: Status }) {
  return <Badge tone={TONES[status]}>{status}</Badge>;
}
