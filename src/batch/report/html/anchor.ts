import type { Attempt } from '../../../domain/attempt.js';

/** Names an attempt's place in the page, without characters that a link would have to escape; no two are the same. */
export const anchorOf = ({ taskId, attempt }: Attempt): string =>
  `${taskId.replaceAll(/[^A-Za-z0-9._-]/g, character => `~${character.charCodeAt(0)}~`)}.${attempt}`;
