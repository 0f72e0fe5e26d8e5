import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { carrelError, errnoOf } from '../../domain/error/error.js';
import { importModule } from '../../exec/import-module.js';
import type { AgentFunction } from '../../tools/agent-function.js';

export interface LoadedFunction {
  /** Absolute: a batch may be resumed from elsewhere. */
  readonly file: string;
  readonly agent: AgentFunction;
  readonly content: Buffer;
  /** Hash of the content. */
  readonly hash: string;
}

/** The default export of a module. AGENT_MODULE_INVALID. */
export async function loadAgentFunction(cwd: string, name: string): Promise<LoadedFunction> {
  const file = resolve(cwd, name);
  const fail = (problem: string, cause?: unknown) =>
    carrelError('AGENT_MODULE_INVALID', { file, problem }, cause);
  const content = await readFile(file).catch(error => {
    throw fail(`cannot read it (${errnoOf(error) ?? error})`, error);
  });
  if (/\.[cm]?ts$/.test(file) && !canStripTypes()) throw fail(NO_TYPESCRIPT);
  const hash = createHash('sha256').update(content).digest('hex');
  // Imported by content hash, so that a later call in this process does not get the old version.
  const module = await importModule(`${pathToFileURL(file).href}?${hash.slice(0, 16)}`).catch(error => {
    throw fail(error instanceof Error ? error.message : String(error), error);
  });
  const agent = findFunction(module);
  if (agent === undefined) throw fail(`its default export is ${typeof module.default}; expected a function`);
  return { file, agent, content, hash };
}

/** Missing or false in Node versions that cannot run TypeScript. */
const canStripTypes = (): boolean =>
  Boolean((process.features as { readonly typescript?: string | false }).typescript);

const NO_TYPESCRIPT = `this Node (${process.version}) cannot run TypeScript; use Node 22.18 or later, or compile it to .mjs`;

/** A CommonJS module compiled from an ES module has its default export inside `default`. */
function findFunction(module: { readonly default?: unknown }): AgentFunction | undefined {
  const found = module.default;
  if (typeof found === 'function') return found as AgentFunction;
  const inner = (found as { readonly default?: unknown } | undefined)?.default;
  return typeof inner === 'function' ? (inner as AgentFunction) : undefined;
}
