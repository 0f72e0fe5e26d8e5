import type { AttemptIsolation } from '../../../domain/batch/attempt.js';
import { hashBytes } from '../../artifacts/blob-source.js';
import type { Claim } from '../../engine/engine.js';

/** What a worker runs, and for whom. */
export interface WorkerTerms {
  /** Public keys of accepted submitters: `ed25519:…`. */
  readonly keys: readonly string[];
  /** The weakest isolation. */
  readonly allow: AttemptIsolation;
  readonly labels: readonly string[];
  /** Version of Carrel. */
  readonly carrel: string;
  readonly isRoot: boolean;
  readonly allowRoot: boolean;
}

/** Enough of the engine's claim to say which one it is. */
export type ClaimName = Pick<Claim, 'id' | 'number'>;

/** The name under which a claim's files are stored. Ids come from the database: one that is no plain word is hashed. */
export const nameOfClaim = ({ id, number }: ClaimName): string =>
  `${/^[A-Za-z0-9_-]{1,80}$/.test(id) ? id : hashBytes(id)}.${number}`;
