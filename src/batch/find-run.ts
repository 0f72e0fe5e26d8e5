import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { BatchRun } from '../domain/batch-run.js';
import { carrelError, ignoreMissing, isCarrelError } from '../domain/error.js';
import type { Context } from '../operations/context.js';
import { readRun, runsDirectory } from './run-store.js';

/** The directory of a run: by its id, a unique beginning of it, its directory, or `latest`. RUN_NOT_FOUND, RUN_AMBIGUOUS. */
export async function findRun(context: Context, name: string): Promise<string> {
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

/** By its whole id and nothing else, for those whose word is not to be taken for a path. RUN_NOT_FOUND. */
export async function findRunById(context: Context, id: string): Promise<string> {
  const ids = await listRunIds(context);
  const directory = ids.includes(id) ? await readPointer(context, id) : undefined;
  if (directory !== undefined) return directory;
  throw carrelError('RUN_NOT_FOUND', { id, known: ids.slice(-5).toReversed() });
}

/** A beginning of fewer characters is taken for a mistake. */
const SHORTEST = 4;

const fits = (id: string, name: string): boolean =>
  id === name || (name.length >= SHORTEST && (id.startsWith(name) || id.startsWith(`run_${name}`)));

/** Newest first. One whose directory is gone, or can't be read, is left out. */
export async function listRuns(context: Context): Promise<BatchRun[]> {
  const ids = (await listRunIds(context)).toReversed();
  const runs = await Promise.all(ids.map(id => tryRead(context, id)));
  return runs.filter(run => run !== undefined);
}

async function tryRead(context: Context, id: string): Promise<BatchRun | undefined> {
  const directory = await readPointer(context, id);
  if (directory === undefined) return undefined;
  return readRun(directory).catch(error => {
    if (!isCarrelError(error)) throw error;
    return undefined;
  });
}

/** Oldest first: they sort by time. Those that were put elsewhere included. */
export async function listRunIds(context: Context): Promise<string[]> {
  const names = (await readdir(runsDirectory(context)).catch(ignoreMissing)) ?? [];
  return names
    .filter(name => name.startsWith('run_') && name.endsWith('.json'))
    .map(name => name.slice(0, -'.json'.length))
    .sort();
}

/** The files by which a directory of results is found. */
export async function listPointersTo(context: Context, directory: string): Promise<string[]> {
  const ids = await listRunIds(context);
  const targets = await Promise.all(ids.map(id => readPointer(context, id)));
  return ids.filter((_id, index) => targets[index] === directory).map(id => pointerOf(context, id));
}

const pointerOf = (context: Context, id: string): string => join(runsDirectory(context), `${id}.json`);

async function readPointer(context: Context, id: string): Promise<string | undefined> {
  const text = await readFile(pointerOf(context, id), 'utf8').catch(ignoreMissing);
  try {
    const { directory } = JSON.parse(text ?? '{}') as { directory?: unknown };
    return typeof directory === 'string' ? directory : undefined;
  } catch {
    return undefined;
  }
}
