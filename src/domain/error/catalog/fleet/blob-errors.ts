import { formatDuration, formatSize } from '../../../text/format-quantity.js';
import { entry } from '../catalog-entry.js';

/** What can go wrong with the blobs of a fleet. */
export const blobErrors = {
  BLOB_MISSING: entry<{ hash: string; where: string }>({
    kind: 'not-found',
    summary: 'A blob that a job or a result names is not in the artifact store.',
    message: d => `${d.where} has no blob ${d.hash}; expected one that was uploaded before`,
    hint: () => 'submit the run again: missing blobs are uploaded then',
  }),
  BLOB_CORRUPT: entry<{ hash: string; where: string; found: string }>({
    kind: 'environment',
    summary: 'The bytes of a blob do not have the hash that is its name. They are not used.',
    message: d => `${d.where} gave the blob ${d.hash} with the hash ${d.found}; expected the same`,
    hint: () => 'check the disk and the network of that store; remove the blob there, and submit again',
  }),
  BLOB_TOO_LARGE: entry<{ what: string; bytes: number; limitBytes: number }>({
    kind: 'user',
    summary: 'A blob is larger than an artifact store accepts.',
    message: d => `${d.what} has ${formatSize(d.bytes)}; at most ${formatSize(d.limitBytes)} are accepted`,
    hint: () => 'make it smaller, or raise the limit of the store',
  }),
  BLOB_QUOTA_REACHED: entry<{ where: string; bytes: number; usedBytes: number; quotaBytes: number }>({
    kind: 'environment',
    summary: 'An artifact store has no room left within its quota.',
    message: d =>
      `${d.where} has ${formatSize(d.usedBytes)} of ${formatSize(d.quotaBytes)} in use; no room for ${formatSize(d.bytes)} more`,
    hint: () => 'remove the blobs of old runs from the store, or raise its quota',
  }),
  BLOB_STORE_AWAY: entry<{ where: string; problem: string; waitedMs: number }>({
    kind: 'environment',
    summary: 'An artifact store did not answer until the deadline.',
    message: d => `${d.where} did not answer within ${formatDuration(d.waitedMs)}: ${d.problem}`,
    hint: () =>
      'check that it runs and that this machine reaches it; nothing is lost, so resume the run then',
  }),
  BLOB_STORE_REFUSED: entry<{ where: string; status: number; problem: string }>({
    kind: 'environment',
    summary: 'An artifact store refused a request, for example because of a wrong token or key.',
    message: d => `${d.where} answered with status ${d.status}: ${d.problem || 'no reason given'}`,
    hint: () => 'check the token or the keys of the store, its name, and the clock of this machine',
  }),
};
