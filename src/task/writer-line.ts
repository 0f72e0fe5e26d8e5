import type { ProcessIdentity } from '../domain/process-identity.js';

/** Stands in a log where a process begins to write (its identity) and where it is done (null); it is never shown. */
export interface WriterLine {
  readonly writer: ProcessIdentity | null;
}
