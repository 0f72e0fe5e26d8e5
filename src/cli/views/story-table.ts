import type { ExpectationResult, StoryReport, StoryResult } from '../../domain/story-report.js';
import { alignColumns } from '../columns.js';
import type { Paint } from '../output.js';
import { printable, printableLines } from '../printable.js';
import { formatElapsed } from './amounts.js';

/** How stories went: a line each, and below those that failed what was not as expected and where to look. */
export function formatStories({ stories }: StoryReport, paint: Paint): string {
  const heading = ['', 'STORY', 'EXPECTED', 'TIME', 'WORKFLOW'];
  const [first = '', ...lines] = alignColumns([heading, ...stories.map(story => formatRow(story, paint))]);
  return [first, ...stories.flatMap((story, index) => [lines[index] ?? '', ...formatTrouble(story)])].join(
    '\n',
  );
}

function formatRow(
  { passed, name, expectations, durationMs, workflowId }: StoryResult,
  paint: Paint,
): string[] {
  const met = expectations.filter(expectation => expectation.passed).length;
  return [
    passed ? paint.green('✓') : paint.red('✗'),
    printable(name),
    expectations.length === 0 ? '-' : `${met} of ${expectations.length}`,
    formatElapsed(durationMs),
    workflowId ?? '-',
  ];
}

function formatTrouble({
  failure,
  expectations,
  worktreePath,
  worktreeKept,
  warnings,
}: StoryResult): string[] {
  const red = expectations.filter(expectation => !expectation.passed);
  return [
    ...(failure === null ? [] : [printable(failure)]),
    ...red.flatMap(formatExpectation),
    ...(failure !== null && worktreeKept && worktreePath !== null
      ? [`look at it in ${printable(worktreePath)}`]
      : []),
    ...warnings.map(warning => `warning: ${printable(warning)}`),
  ].map(line => `     ${line}`);
}

/** Of long output the end is what tells. */
const MOST_LINES = 8;

function formatExpectation({ type, detail }: ExpectationResult): string[] {
  const [first = '', ...output] = printableLines(detail ?? '').split('\n');
  return [`${type}: ${first}`, ...output.slice(-MOST_LINES).map(line => `  ${line}`)];
}

/** The closing sentence. */
export const formatStoriesClosing = ({ passed, failed }: StoryReport, file: string): string =>
  `${passed} passed, ${failed} failed; the report is ${file}`;
