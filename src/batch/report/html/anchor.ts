import type { Attempt } from '../../../domain/batch/attempt.js';

/** The unique anchor of an attempt in the page, without characters that a link must escape. */
export const anchorOf = ({ taskId, attempt }: Attempt): string =>
  `${taskId.replaceAll(/[^A-Za-z0-9._-]/g, character => `~${character.charCodeAt(0)}~`)}.${attempt}`;
