import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { BatchRun } from '../../domain/batch/batch-run.js';
import { carrelError, ignoreMissing, isCarrelError } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import { readRun, runsDirectory } from './run-store.js';

/** The directory of a run: by its id, a unique prefix of it, its directory, or `latest`. RUN_NOT_FOUND, RUN_AMBIGUOUS. */
export async function findRun(context: Pick<Context, 'places' | 'cwd'>, name: string): Promise<string> {
  const path = isAbsolute(name) ? name : resolve(context.cwd, name);
  if (await stat(join(path, 'run.json')).catch(ignoreMissing)) return path;
  const ids = await listRunIds(context);
  const matches = name === 'latest' ? ids.slice(-1) : ids.filter(id => fits(id, name));
  if (matches.length > 1) throw carrelError('RUN_AMBIGUOUS', { id: name, matches });
  const [id] = matches;
  const directory = id === undefined ? undefined : await readPointer(context, id);
  if (directory !== undefined) return directory;
  const known = ids.slice(-5).toReversed();
  throw carrelError('RUN_NOT_FOUND', { id: name, known });
}

/** By its full id only, for callers whose input must not be used as a path. RUN_NOT_FOUND. */
export async function findRunById(context: Pick<Context, 'places'>, id: string): Promise<string> {
  const ids = await listRunIds(context);
  const directory = ids.includes(id) ? await readPointer(context, id) : undefined;
  if (directory !== undefined) return directory;
  throw carrelError('RUN_NOT_FOUND', { id, known: ids.slice(-5).toReversed() });
}

/** A shorter prefix is treated as a mistake. */
const SHORTEST = 4;

const fits = (id: string, name: string): boolean =>
  id === name || (name.length >= SHORTEST && (id.startsWith(name) || id.startsWith(`run_${name}`)));

/** Newest first. Runs whose directory is gone are left out, and so are unreadable ones, which are reported. */
export async function listRuns(context: Pick<Context, 'places' | 'narrate'>): Promise<BatchRun[]> {
  const ids = (await listRunIds(context)).toReversed();
  const runs = await Promise.all(ids.map(id => tryRead(context, id)));
  return runs.filter(run => run !== undefined);
}

async function tryRead(
  context: Pick<Context, 'places' | 'narrate'>,
  id: string,
): Promise<BatchRun | undefined> {
  try {
    const directory = await readPointer(context, id);
    return directory === undefined ? undefined : await readRun(directory);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    if (!isCarrelError(error, 'RUN_NOT_FOUND')) context.narrate(`warning: cannot read run ${id}: ${problem}`);
    return undefined;
  }
}

/** Oldest first: they sort by time. Includes runs in other directories. */
export async function listRunIds(context: Pick<Context, 'places'>): Promise<string[]> {
  const names = (await readdir(runsDirectory(context)).catch(ignoreMissing)) ?? [];
  return names
    .filter(name => name.startsWith('run_') && name.endsWith('.json'))
    .map(name => name.slice(0, -'.json'.length))
    .sort();
}

/** The files that point to a results directory. */
export async function listPointersTo(context: Pick<Context, 'places'>, directory: string): Promise<string[]> {
  const ids = await listRunIds(context);
  const targets = await Promise.all(ids.map(id => readPointer(context, id)));
  return ids.filter((_id, index) => targets[index] === directory).map(id => pointerOf(context, id));
}

const pointerOf = (context: Pick<Context, 'places'>, id: string): string =>
  join(runsDirectory(context), `${id}.json`);

async function readPointer(context: Pick<Context, 'places'>, id: string): Promise<string | undefined> {
  const text = await readFile(pointerOf(context, id), 'utf8').catch(ignoreMissing);
  try {
    const { directory } = JSON.parse(text ?? '{}') as { directory?: unknown };
    return typeof directory === 'string' ? directory : undefined;
  } catch {
    return undefined;
  }
}
