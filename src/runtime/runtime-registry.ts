import type { RuntimeName } from '../domain/sandbox/runtime-finding.js';
import type { Runtime } from './runtime.js';

/** All runtimes by name. Filled by the composition root. */
export type RuntimeRegistry = Readonly<Record<RuntimeName, Runtime>>;
