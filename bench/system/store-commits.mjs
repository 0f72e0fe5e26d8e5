import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Transactions that wrote, by the log that SQLite keeps beside the database: the last frame of each has the size of the
 * database in it, and frames of an earlier round of the log have other salts. Needs a connection that stays open, because
 * the last one to leave deletes the log.
 */
export function countStoreCommits(scene) {
  const file = join(scene.env.CARREL_STATE_DIR, 'carrel.db-wal');
  if (!existsSync(file)) return 0;
  const log = readFileSync(file);
  if (log.length < HEADER_BYTES) return 0;
  const pageBytes = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let commits = 0;
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES <= log.length; at += FRAME_HEADER_BYTES + pageBytes) {
    if (log.subarray(at + 8, at + 16).equals(salts) && log.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}
