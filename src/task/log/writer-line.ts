import type { ProcessIdentity } from '../../domain/process-identity.js';

/** Marks in a log where a process starts to write (its identity) and where it stops (null); never shown. */
export interface WriterLine {
  readonly writer: ProcessIdentity | null;
}
