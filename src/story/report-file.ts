import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { carrelError, errnoOf, ignoreMissing, isCarrelError } from '../domain/error/error.js';
import { type StoryReport, StoryReportSchema } from '../domain/story/story-report.js';
import { summarize } from './run-stories.js';

/** The report of the previous run. STORY_REPORT_UNUSABLE when there is none. */
export async function loadReport(file: string): Promise<StoryReport> {
  const text = await readFile(file, 'utf8')
    .catch(ignoreMissing)
    .catch(error => refuse(file, error));
  if (text === undefined) throw carrelError('STORY_REPORT_UNUSABLE', { file, problem: 'it does not exist' });
  try {
    return StoryReportSchema.parse(JSON.parse(text));
  } catch (error) {
    throw carrelError('STORY_REPORT_UNUSABLE', { file, problem: 'it is not a story report' }, error);
  }
}

/** Checked before anything runs, so that an unwritable report is known early. */
export async function makeRoomForReport(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true });
    if ((await stat(file).catch(ignoreMissing))?.isDirectory())
      throw carrelError('STORY_REPORT_UNUSABLE', { file, problem: 'it is a directory' });
    await writeFile(draftOf(file), '');
    await rm(draftOf(file));
  } catch (error) {
    refuse(file, error);
  }
}

const draftOf = (file: string): string => `${file}.${process.pid}`;

/** Replaces an earlier report atomically. */
export async function writeReport(file: string, report: StoryReport): Promise<void> {
  const draft = draftOf(file);
  try {
    await writeFile(draft, `${JSON.stringify(report, null, 2)}\n`);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    refuse(file, error);
  }
}

function refuse(file: string, error: unknown): never {
  if (isCarrelError(error)) throw error;
  throw carrelError('STORY_REPORT_UNUSABLE', { file, problem: errnoOf(error) ?? String(error) }, error);
}

/** An earlier report, updated with the stories that were run again. */
export function mergeReports<T extends StoryReport>(earlier: StoryReport, { stories, ...facts }: T) {
  const again = new Map(stories.map(story => [story.name, story]));
  const merged = earlier.stories.map(story => again.get(story.name) ?? story);
  return summarize(merged, facts);
}
