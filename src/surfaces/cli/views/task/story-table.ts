import type { ExpectationResult, StoryReport, StoryResult } from '../../../../domain/story/story-report.js';
import { alignColumns } from '../../terminal/columns.js';
import type { Paint } from '../../terminal/output.js';
import { printable, printableLines } from '../../terminal/printable.js';
import { formatElapsed } from '../format-amounts.js';

/** The results of stories: a line each, with the failed checks and the files below a failed one. */
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
      ? [`files: ${printable(worktreePath)}`]
      : []),
    ...warnings.map(warning => `warning: ${printable(warning)}`),
  ].map(line => `     ${line}`);
}

/** For long output, only the end. */
const MOST_LINES = 8;

function formatExpectation({ type, detail }: ExpectationResult): string[] {
  const [first = '', ...output] = printableLines(detail ?? '').split('\n');
  return [`${type}: ${first}`, ...output.slice(-MOST_LINES).map(line => `  ${line}`)];
}

/** The closing sentence. */
export const formatStoriesClosing = ({ passed, failed }: StoryReport, file: string): string =>
  `${passed} passed, ${failed} failed; the report is ${file}`;
