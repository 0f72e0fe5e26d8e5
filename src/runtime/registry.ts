import type { RuntimeName } from '../domain/runtime.js';
import type { Runtime } from './runtime.js';

/** The runtimes there are, by name. Filled by the composition root. */
export type RuntimeRegistry = Readonly<Record<RuntimeName, Runtime>>;
