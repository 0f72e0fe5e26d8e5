import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { CarrelError, carrelError, errnoOf } from '../../domain/error/error.js';
import {
  type BuiltInBackendName,
  isCustomBackend,
  isModulePath,
} from '../../domain/workspace/backend-name.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { importModule } from '../../exec/import-module.js';
import type { Backend } from '../backend.js';
import type { BackendFactory, BackendParts, BackendRegistry } from '../backend-registry.js';
import { guardBackend } from './guard-backend.js';
import { requireBackend } from './require-backend.js';
import { createUnavailableBackend } from './unavailable-backend.js';

/** A workspace or snapshot, as far as its backend is concerned. */
export type BackendUse = Pick<WorkspaceRecord, 'backend' | 'repository' | 'repositoryId'>;

export interface CustomBackends {
  /** Has every backend that was prepared; another one fails with BACKEND_UNAVAILABLE. */
  readonly registry: BackendRegistry;
  /** The names that the program registered. */
  readonly names: readonly string[];
  /** Loads the backends that are not Carrel's own, unless they are loaded. Never throws: see unavailable-backend.ts. */
  prepare(uses: readonly BackendUse[]): Promise<void>;
}

export interface CustomBackendOptions {
  readonly parts: BackendParts;
  readonly registered: Readonly<Record<string, BackendFactory>>;
  /** Throws unless the user has approved the module. */
  readonly requireTrust: (use: BackendUse) => Promise<void>;
}

export function openCustomBackends(options: CustomBackendOptions): CustomBackends {
  const { parts, registered } = options;
  const names = Object.keys(registered);
  requireNames(names);
  const loaded = new Map<string, Backend>();
  const failed = new Map<string, Backend>();
  const prepare = async (use: BackendUse): Promise<void> => {
    try {
      loaded.set(use.backend, await load(options, use));
    } catch (error) {
      failed.set(use.backend, createUnavailableBackend(use.backend, explain(use.backend, error)));
    }
  };
  const findCustom = (name: string): Backend => loaded.get(name) ?? failed.get(name) ?? unprepared(name);
  return {
    registry: {
      ...parts.backends,
      of(name) {
        return isCustomBackend(name) ? findCustom(name) : this[name as BuiltInBackendName];
      },
    },
    names,
    prepare: async uses => {
      for (const use of uses)
        if (isCustomBackend(use.backend) && !loaded.has(use.backend)) await prepare(use);
    },
  };
}

const NAME = /^[a-z][a-z0-9-]*$/;

function requireNames(names: readonly string[]): void {
  const wrong = names.find(name => !NAME.test(name) || !isCustomBackend(name));
  if (wrong === undefined) return;
  throw carrelError('INVALID_INPUT', {
    what: 'the name of a backend',
    found: JSON.stringify(wrong),
    expected: "lower-case letters, digits and hyphens, and not the name of one of Carrel's own backends",
  });
}

async function load({ parts, registered, requireTrust }: CustomBackendOptions, use: BackendUse) {
  const name = use.backend;
  const factory = Object.hasOwn(registered, name) ? registered[name] : undefined;
  if (!factory && !isModulePath(name)) throw new Error('no program has registered it in this process');
  const make = factory ?? (await loadBackendModule(name, () => requireTrust(use)));
  return guardBackend(name, requireBackend(await make(parts)), parts.git);
}

/**
 * The default export of a module. `check` is called before anything of it runs, when it is there. Throws an error that says
 * what is wrong with it.
 */
export async function loadBackendModule(
  file: string,
  check: () => Promise<void> = async () => {},
): Promise<BackendFactory> {
  const content = await readFile(file).catch(error => {
    throw new Error(`cannot read the module (${errnoOf(error) ?? error})`, { cause: error });
  });
  await check();
  const hash = createHash('sha256').update(content).digest('hex');
  // By content, so that a corrected module is loaded by a process that has seen the broken one.
  const module = await importModule(`${pathToFileURL(file).href}?${hash.slice(0, 16)}`);
  if (typeof module.default === 'function') return module.default as BackendFactory;
  throw new Error(
    `its default export is ${typeof module.default}; expected a function that returns a backend`,
  );
}

function explain(backend: string, error: unknown): CarrelError {
  if (error instanceof CarrelError) return error;
  const problem = error instanceof Error ? error.message : String(error);
  return carrelError('BACKEND_UNAVAILABLE', { backend, problem }, error);
}

const unprepared = (backend: string): Backend =>
  createUnavailableBackend(
    backend,
    carrelError('BACKEND_UNAVAILABLE', { backend, problem: 'it is not loaded' }),
  );
