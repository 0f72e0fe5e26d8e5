import { join } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../../app.js';
import { carrelError } from '../../../domain/error.js';
import type { StoryReport } from '../../../domain/story-report.js';
import type { LoadedStory } from '../../../story/load-stories.js';
import { exitCodes } from '../../exit-code.js';
import { parseCount } from '../../number-option.js';
import { parseList } from '../../option-values.js';
import type { Server } from '../../server-connection.js';
import { addServerOptions, type ServerOptions } from '../../server-options.js';
import { absolutePath, answer, type Session, withApp } from '../../session.js';
import { formatStories, formatStoriesClosing } from '../../views/story-table.js';

interface StoryOptions extends ServerOptions {
  readonly failedOnly?: boolean;
  readonly report?: string;
  readonly parallel: number;
  readonly tags?: readonly string[];
  readonly keep?: boolean;
}

export function define(command: Command, session: Session): void {
  addServerOptions(command.argument('<places...>', 'files with a story each, or directories of such files'))
    .option('--failed-only', 'only those that failed according to the last report')
    .option('--report <file>', 'where the report is (default: stories/report.json in the state directory)')
    .option('--parallel <number>', 'how many are under way at once', parseCount, 1)
    .option('--tags <names>', 'only those that have one of these tags: a,b', parseList)
    .option('--keep', 'keep the worktrees of those that pass, too')
    .addHelpText(
      'after',
      '\nChecks run on this machine, in the worktrees of the server, under the isolation of the work.',
    )
    .action((places: string[], options: StoryOptions) => runAll(places, options, session));
}

async function runAll(places: readonly string[], options: StoryOptions, session: Session): Promise<void> {
  session.interruption.follow('finish');
  const [{ loadStories }, { withServer }] = await Promise.all([
    import('../../../story/load-stories.js'),
    import('../../server-connection.js'),
  ]);
  const stories = await loadStories(places.map(place => absolutePath(session, place)));
  await withServer(session, options, server =>
    withApp(session, options, app => runOn(server, app, { places, stories }, options, session)),
  );
}

interface FoundStories {
  readonly places: readonly string[];
  readonly stories: readonly LoadedStory[];
}

async function runOn(
  { client, url }: Server,
  app: App,
  found: FoundStories,
  options: StoryOptions,
  session: Session,
): Promise<void> {
  const [{ runStories }, reports] = await Promise.all([
    import('../../../story/run-stories.js'),
    import('../../../story/report-file.js'),
  ]);
  const file =
    options.report === undefined
      ? join(app.places.stateDir, 'stories', 'report.json')
      : absolutePath(session, options.report);
  const earlier = options.failedOnly ? await reports.loadReport(file) : undefined;
  const chosen = choose(found, options, earlier);
  if (earlier) tellMissing(found, earlier, file, session);
  await reports.makeRoomForReport(file);
  // A server that can't be asked is told once, not for each story.
  await client.tasks.list({ limit: 1 });
  const { signal } = session.interruption;
  const { parallel, keep = false } = options;
  const services = { client, context: app, tell: session.output.narrate };
  const report = await runStories(services, chosen, { parallel, keep, signal, server: url });
  if (chosen.length === 0) {
    session.output.narrate(`none of these stories failed according to ${file}`);
    if (options.json) session.output.json(report);
    return;
  }
  await reports.writeReport(file, earlier ? reports.mergeReports(earlier, report) : report);
  answer(session, options, report, value => formatStories(value, session.output.answerColors));
  session.output.narrate(formatStoriesClosing(report, file));
  if (report.failed > 0) session.exitWith(session.interruption.exitCode() ?? exitCodes.failed);
}

/** A story that was renamed, or lies elsewhere, is not done with. */
function tellMissing({ stories }: FoundStories, earlier: StoryReport, file: string, session: Session): void {
  const known = new Set(stories.map(({ name }) => name));
  const missing = earlier.stories.filter(({ name, passed }) => !passed && !known.has(name));
  for (const { name } of missing)
    session.output.narrate(`warning: ${name} failed according to ${file}, and is not among these stories`);
}

/** NO_STORIES when nothing is there to choose from; empty when nothing of it has failed. */
function choose(
  { places, stories }: FoundStories,
  { tags }: StoryOptions,
  earlier: StoryReport | undefined,
): LoadedStory[] {
  const tagged = stories.filter(story => tags === undefined || story.tags.some(tag => tags.includes(tag)));
  if (tagged.length === 0) {
    const problem = stories.length === 0 ? 'there is none' : `none has the tags ${tags?.join(', ')}`;
    throw carrelError('NO_STORIES', { place: places.join(', '), problem });
  }
  const failed = new Set(earlier?.stories.filter(story => !story.passed).map(story => story.name));
  return earlier ? tagged.filter(story => failed.has(story.name)) : tagged;
}
