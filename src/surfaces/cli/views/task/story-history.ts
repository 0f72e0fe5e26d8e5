import type { StoryReport } from '../../../../domain/story/story-report.js';
import type { ComparedStory, StoryComparison } from '../../../../story/compare-story-runs.js';
import type { StoryRun } from '../../../../story/story-history.js';
import { alignColumns } from '../../terminal/columns.js';
import type { Paint } from '../../terminal/output.js';
import { printable } from '../../terminal/printable.js';
import { formatAgo } from '../ago.js';
import { formatElapsed } from '../format-amounts.js';

/** `carrel story ls` as text. */
export function formatStoryRuns(runs: readonly StoryRun[], now: number): string {
  const rows = runs.map(({ id, passed, failed, startedAt, endedAt, server }) => [
    id,
    String(passed),
    String(failed),
    formatElapsed(Date.parse(endedAt) - Date.parse(startedAt)),
    formatAgo(startedAt, now),
    printable(server),
  ]);
  return alignColumns([['ID', 'PASSED', 'FAILED', 'TIME', 'STARTED', 'SERVER'], ...rows]).join('\n');
}

/** `carrel story compare` as text: a line for each story, with the reason below one that fails now. */
export function formatStoryComparison(
  { before, after, totals, stories }: StoryComparison,
  paint: Paint,
): string {
  const heading = ['STORY', 'CHANGE', 'BEFORE', 'AFTER'];
  const [first = '', ...lines] = alignColumns([heading, ...stories.map(story => formatRow(story, paint))]);
  const body = stories.flatMap((story, index) => [lines[index] ?? '', ...formatReason(story)]);
  const { fixed, broken } = totals;
  const closing = `${nameOf(before)} → ${nameOf(after)}: ${fixed} fixed, ${broken} broken, ${before.passed} → ${after.passed} passed`;
  return [first, ...body, '', closing].join('\n');
}

function formatRow({ name, change, before, after }: ComparedStory, paint: Paint): string[] {
  const colored = { fixed: paint.green, broken: paint.red }[change as 'fixed' | 'broken'];
  return [
    printable(name),
    colored ? colored(change) : change,
    before ? formatElapsed(before.durationMs) : '-',
    after ? formatElapsed(after.durationMs) : '-',
  ];
}

const formatReason = ({ after }: ComparedStory): string[] =>
  after === null || after.failure === null ? [] : [`     ${printable(after.failure)}`];

const nameOf = ({ id, startedAt }: Pick<StoryReport, 'id' | 'startedAt'>): string => id ?? startedAt;
