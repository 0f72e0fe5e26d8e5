import { readFile, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import type { Context } from '../../operations/context.js';
import { openBlobFiles } from '../artifacts/directory/blob-files.js';
import { type RemovedBlobs, removeOldBlobs } from '../artifacts/directory/remove-old-blobs.js';
import type { Engine } from '../engine/engine.js';
import type { RunSummary } from '../engine/run.js';
import { loadArtifacts } from './fleet-settings.js';

export interface CleanOptions {
  readonly olderThanMs: number;
  readonly isDryRun: boolean;
}

/** What was removed, and the runs whose files were kept. */
export type CleanedFleet = RemovedBlobs & { readonly runs: readonly string[] };

/**
 * Removes old files of jobs and results that no run needs. A run needs its files until all of its jobs are done and its
 * submitter has all results. FLEET_GC_ELSEWHERE when the files are not in a directory of this machine.
 */
export async function cleanFleet(
  context: Pick<Context, 'places' | 'now'>,
  { engine, name }: { readonly engine: Engine; readonly name: string },
  { olderThanMs, isDryRun }: CleanOptions,
): Promise<CleanedFleet> {
  const root = await findDirectory(context, await loadArtifacts(engine, name));
  const before = context.now() - Math.max(olderThanMs, LEAST_AGE_MS);
  // Runs are read after the time is fixed: files of a later one are new.
  const runs = (await engine.runs()).filter(isOpen).map(({ run }) => run);
  const needed = await findNeeded(engine, root, runs);
  const isNeeded = (hash: string) => needed.has(hash);
  return { ...(await removeOldBlobs({ root, before, isNeeded, isDryRun })), runs };
}

/** A submitter may have sent files for jobs that it has not submitted yet, and clocks differ. */
const LEAST_AGE_MS = 24 * 60 * 60_000;

async function findDirectory(context: Pick<Context, 'places'>, location: string): Promise<string> {
  if (isAbsolute(location)) return location;
  if (/^https?:/.test(location)) {
    const { findHubSettings } = await import('../artifacts/hub/hub-settings.js');
    const own = await findHubSettings(context);
    if (own) return own.directory;
  }
  throw carrelError('FLEET_GC_ELSEWHERE', { location: location.split('?', 1)[0] as string });
}

const isOpen = ({ jobs, results, acknowledged }: RunSummary): boolean =>
  jobs.waiting + jobs.open + jobs.claimed > 0 || acknowledged < results;

/** Everything that the jobs and results of these runs name, and what that names. */
async function findNeeded(engine: Engine, root: string, runs: readonly string[]): Promise<Set<string>> {
  const needed = new Set<string>();
  const files = openBlobFiles(root, root);
  const add = async (text: string): Promise<void> => {
    for (const hash of text.match(HASHES) ?? []) {
      if (needed.has(hash)) continue;
      needed.add(hash);
      const content = await readText(files.fileOf(hash));
      if (content !== undefined) await add(content);
    }
  };
  for (const run of runs) {
    for await (const text of listTexts(engine, run)) await add(text);
  }
  return needed;
}

/** A text that looks like a hash and is none keeps nothing, or a blob too many. */
const HASHES = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/** Items, descriptions and manifests are JSON; larger blobs are files of agents, bases and results. */
const MOST_TEXT_BYTES = 64 * 1024 ** 2;

async function readText(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(ignoreMissing);
  if (!found || found.size > MOST_TEXT_BYTES) return undefined;
  const bytes = await readFile(file);
  return bytes[0] === '{'.charCodeAt(0) ? bytes.toString('utf8') : undefined;
}

async function* listTexts(engine: Engine, run: string): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const bodies = await engine.bodies(run, after);
    for (const { body } of bodies) yield body;
    if (bodies.length === 0) break;
    after = bodies.at(-1)?.position ?? after;
  }
  for (let after = 0; ; ) {
    const results = await engine.results(run, after);
    for (const { record } of results) if (record !== null) yield record;
    if (results.length === 0) return;
    after = results.at(-1)?.sequence ?? after;
  }
}
