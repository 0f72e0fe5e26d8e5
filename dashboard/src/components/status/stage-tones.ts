import type { StageStatus } from '../../../../src/domain/task/task-status.js';
import type { Tone } from './badge.js';

export const STAGE_TONES: Readonly<Record<StageStatus, Tone>> = {
  pending: 'neutral',
  running: 'accent',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  interrupted: 'warning',
};
