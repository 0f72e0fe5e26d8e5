import type { BackendName } from '../domain/workspace/workspace.js';
import type { Backend } from './backend.js';

/** All backends by name. Filled by the composition root. */
export type BackendRegistry = Readonly<Record<BackendName, Backend>>;
