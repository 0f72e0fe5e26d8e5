import type { Command } from 'commander';
import type { App } from '../../../../app.js';
import { carrelError } from '../../../../domain/error/error.js';
import type { StoryReport } from '../../../../domain/story/story-report.js';
import type { LoadedStory } from '../../../../story/load-stories.js';
import { absolutePath, answer, type Session, withApp } from '../../cli-session.js';
import { exitCodes } from '../../exit/exit-code.js';
import { countFor } from '../../options/number-option.js';
import { listFor } from '../../options/option-values.js';
import type { Server } from '../../remote/server-connection.js';
import { addServerOptions, type ServerOptions } from '../../remote/server-options.js';
import { formatStories, formatStoriesClosing } from '../../views/task/story-table.js';

interface StoryOptions extends ServerOptions {
  readonly failedOnly?: boolean;
  readonly report?: string;
  readonly parallel: number;
  readonly tags?: readonly string[];
  readonly keep?: boolean;
}

export function define(command: Command, session: Session): void {
  addServerOptions(command.argument('<places...>', 'story files, or directories of story files'))
    .option('--failed-only', 'run only the stories that failed the last time, or in the file of --report')
    .option('--report <file>', 'the report file (default: stories/report.json in the state directory)')
    .option('--parallel <number>', 'number of stories to run in parallel', countFor('--parallel'), 1)
    .option(
      '--tags <names>',
      'run only stories with one of these tags, separated by commas',
      listFor('--tags'),
    )
    .option('--keep', 'keep the worktrees of passed stories')
    .addHelpText(
      'after',
      '\nChecks run on this machine in the worktrees of the server, with the isolation mode of the task.',
    )
    .action((places: string[], options: StoryOptions) => runAll(places, options, session));
}

async function runAll(places: readonly string[], options: StoryOptions, session: Session): Promise<void> {
  session.interruption.follow('finish');
  const [{ loadStories }, { withServer }] = await Promise.all([
    import('../../../../story/load-stories.js'),
    import('../../remote/server-connection.js'),
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
  const [{ runStories }, reports, history] = await Promise.all([
    import('../../../../story/run-stories.js'),
    import('../../../../story/report-file.js'),
    import('../../../../story/story-history.js'),
  ]);
  const isNamed = options.report !== undefined;
  const file = isNamed ? absolutePath(session, options.report) : history.usualReportOf(app);
  const continued = () =>
    isNamed ? reports.loadReport(file) : history.findLastRunOf(app, namesOf(found.stories));
  const earlier = options.failedOnly ? await continued() : undefined;
  const source = (!isNamed && earlier?.id) || file;
  const chosen = choose(found, options, earlier);
  if (earlier) tellMissing(found, earlier, source, session);
  await reports.makeRoomForReport(file);
  // Reports an unreachable server once, not for each story.
  await client.tasks.list({ limit: 1 });
  const { signal } = session.interruption;
  const { parallel, keep = false } = options;
  const services = { client, context: app, tell: session.output.narrate };
  const report = await runStories(services, chosen, { parallel, keep, signal, server: url });
  if (chosen.length === 0) {
    session.output.narrate(`none of these stories failed in ${source}`);
    if (options.json) session.output.json(report);
    return;
  }
  const whole = earlier ? reports.mergeReports(earlier, report) : report;
  await reports.writeReport(file, whole);
  await history.keepStoryRun(app, whole);
  answer(session, options, report, value => formatStories(value, session.output.answerColors));
  session.output.narrate(formatStoriesClosing(report, file));
  if (report.failed > 0) session.exitWith(session.interruption.exitCode() ?? exitCodes.failed);
}

const namesOf = (stories: readonly LoadedStory[]): ReadonlySet<string> =>
  new Set(stories.map(({ name }) => name));

/** A story that was renamed or moved still counts as failed. */
function tellMissing({ stories }: FoundStories, earlier: StoryReport, file: string, session: Session): void {
  const known = namesOf(stories);
  const missing = earlier.stories.filter(({ name, passed }) => !passed && !known.has(name));
  for (const { name } of missing)
    session.output.narrate(`warning: ${name} failed in ${file} and is not among these stories`);
}

/** NO_STORIES when there are no stories to choose from; empty when none of them failed. */
function choose(
  { places, stories }: FoundStories,
  { tags }: StoryOptions,
  earlier: StoryReport | undefined,
): LoadedStory[] {
  const tagged = stories.filter(story => tags === undefined || story.tags.some(tag => tags.includes(tag)));
  if (tagged.length === 0) {
    const problem = stories.length === 0 ? 'there are none' : `none has the tags ${tags?.join(', ')}`;
    throw carrelError('NO_STORIES', { place: places.join(', '), problem });
  }
  const failed = new Set(earlier?.stories.filter(story => !story.passed).map(story => story.name));
  return earlier ? tagged.filter(story => failed.has(story.name)) : tagged;
}
