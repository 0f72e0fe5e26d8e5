import type { BackendName } from '../domain/workspace.js';
import type { Backend } from './backend.js';

/** The backends there are, by name. Filled by the composition root. */
export type BackendRegistry = Readonly<Record<BackendName, Backend>>;
