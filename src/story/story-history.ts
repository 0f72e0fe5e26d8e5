import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { carrelError, ignoreMissing, isCarrelError } from '../domain/error/error.js';
import type { StoryReport } from '../domain/story/story-report.js';
import type { Context } from '../operations/context.js';
import { loadReport, writeReport } from './report-file.js';

/** Where the history of story runs is, and what names in it are relative to. */
type Place = Pick<Context, 'places' | 'cwd' | 'narrate'>;

/** A report that is kept, which always has its id. */
export type StoryRun = StoryReport & { readonly id: string };

/** More are of little use, and each is a file. */
const MOST_KEPT = 500;

const runsOf = ({ places }: Pick<Context, 'places'>): string => join(places.stateDir, 'stories', 'runs');

/** The report that a run without `--report` writes; earlier versions kept only this one. */
export const usualReportOf = ({ places }: Pick<Context, 'places'>): string =>
  join(places.stateDir, 'stories', 'report.json');

/** Keeps the report of a run under its id; the oldest beyond the limit is deleted. */
export async function keepStoryRun(context: Place, report: StoryRun): Promise<void> {
  const directory = runsOf(context);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeReport(fileOf(context, report.id), report);
  const ids = await listIds(context);
  for (const id of ids.slice(0, Math.max(0, ids.length - MOST_KEPT)))
    await rm(fileOf(context, id), { force: true });
}

/** Newest first. A report that can't be read is left out and reported. */
export async function listStoryRuns(context: Place): Promise<StoryRun[]> {
  const ids = (await listIds(context)).toReversed();
  const runs = await Promise.all(ids.map(id => tryLoad(context, id)));
  return runs.filter(run => run !== undefined);
}

/**
 * A run by its id, a unique prefix of it, `latest`, or the path of a report file. STORY_RUN_NOT_FOUND,
 * STORY_RUN_AMBIGUOUS, STORY_REPORT_UNUSABLE.
 */
export async function findStoryRun(context: Place, name: string): Promise<StoryReport> {
  const ids = await listIds(context);
  const matches = name === 'latest' ? ids.slice(-1) : ids.filter(id => fits(id, name));
  const [id] = matches;
  if (id !== undefined && matches.length === 1) return loadReport(fileOf(context, id));
  if (matches.length > 1) throw carrelError('STORY_RUN_AMBIGUOUS', { name, matches });
  const file = name === 'latest' ? usualReportOf(context) : resolve(context.cwd, name);
  if ((await stat(file).catch(ignoreMissing))?.isFile()) return loadReport(file);
  throw carrelError('STORY_RUN_NOT_FOUND', { name, known: ids.slice(-5).toReversed() });
}

/** The newest run with a result of one of these stories; the report of an earlier version when none has. */
export async function findLastRunOf(context: Place, names: ReadonlySet<string>): Promise<StoryReport> {
  const runs = await listStoryRuns(context);
  const last = runs.find(({ stories }) => stories.some(({ name }) => names.has(name)));
  return last ?? loadReport(usualReportOf(context));
}

const fileOf = (context: Pick<Context, 'places'>, id: string): string => join(runsOf(context), `${id}.json`);

/** Oldest first: ids sort by time. */
async function listIds(context: Pick<Context, 'places'>): Promise<string[]> {
  const names = (await readdir(runsOf(context)).catch(ignoreMissing)) ?? [];
  return names
    .filter(name => /^story_[0-9a-z]+\.json$/.test(name))
    .map(name => name.slice(0, -'.json'.length))
    .sort();
}

/** A shorter prefix is treated as a mistake. */
const SHORTEST = 4;

const fits = (id: string, name: string): boolean =>
  id === name || (name.length >= SHORTEST && (id.startsWith(name) || id.startsWith(`story_${name}`)));

async function tryLoad(context: Place, id: string): Promise<StoryRun | undefined> {
  try {
    return { ...(await loadReport(fileOf(context, id))), id };
  } catch (error) {
    if (!isCarrelError(error, 'STORY_REPORT_UNUSABLE')) throw error;
    context.narrate(`warning: ${error.message}`);
    return undefined;
  }
}
