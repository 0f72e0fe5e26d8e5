import { stripVTControlCharacters } from 'node:util';
import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchRun } from '../../domain/batch/batch-run.js';
import { totalOf } from '../../domain/batch/outcome-rules.js';
import { inOrder } from './order-attempts.js';
import type { Write } from './text-writer.js';

/** Tasks that could not start, and so have no attempt. */
interface Omission {
  readonly name: string;
  readonly reason: string;
}

/** JUnit XML for CI servers: the dataset is the suite, an attempt is a test case. */
export async function writeJunit(run: BatchRun, write: Write): Promise<readonly string[]> {
  const omissions = findOmissions(run);
  const counts = formatCounts(run, omissions.length);
  await write('<?xml version="1.0" encoding="UTF-8"?>\n');
  await write(`<testsuites name="${escapeXml(run.id)}" ${counts}>\n`);
  await write(`  <testsuite name="${escapeXml(run.dataset)}" timestamp="${run.createdAt}" ${counts}>\n`);
  await write(formatProperties(run));
  for (const attempt of inOrder(run)) await write(formatAttempt(run, attempt));
  for (const { name, reason } of omissions)
    await write(formatCase(run, name, 0, `<skipped message="${shown(reason)}"/>`));
  await write('  </testsuite>\n</testsuites>\n');
  return [];
}

/** Items that cannot run, and attempts skipped by a stop or a limit: without them the report would look complete. */
function findOmissions(run: BatchRun): readonly Omission[] {
  const done = new Set(run.attempts.map(({ taskId, attempt }) => nameCase(run, taskId, attempt)));
  const asked = run.taskIds.flatMap(taskId =>
    Array.from({ length: run.attemptsPerTask }, (_, index) => nameCase(run, taskId, index + 1)),
  );
  return [
    ...asked.filter(name => !done.has(name)).map(name => ({ name, reason: 'not started' })),
    ...run.skipped.map(({ id, reason }) => ({ name: id, reason })),
  ];
}

const nameCase = (run: BatchRun, taskId: string, attempt: number) =>
  run.attemptsPerTask > 1 ? `${taskId} #${attempt}` : taskId;

function formatCounts({ attempts, totals, durationMs }: BatchRun, omitted: number): string {
  const tests = attempts.length + omitted;
  const skipped = totals.cancelled + omitted;
  return `tests="${tests}" failures="${totals.failed}" errors="${totals.errors}" skipped="${skipped}" time="${seconds(durationMs)}"`;
}

function formatProperties(run: BatchRun): string {
  const { id, agent, model, isolation, directory, environment, costUsd, spentUsd } = run;
  const properties = {
    ...{ run: id, agent, model: model ?? '', isolation, directory },
    ...{ costUsd: String(costUsd ?? ''), spentUsd: String(spentUsd ?? '') },
    ...environment,
  };
  const lines = Object.entries(properties).map(
    ([name, value]) => `      <property name="${escapeXml(name)}" value="${escapeXml(value)}"/>\n`,
  );
  return `    <properties>\n${lines.join('')}    </properties>\n`;
}

function formatAttempt(run: BatchRun, attempt: Attempt): string {
  const name = nameCase(run, attempt.taskId, attempt.attempt);
  return formatCase(run, name, attempt.durationMs, formatResult(attempt) + formatOutput(run, attempt));
}

function formatCase({ dataset }: BatchRun, name: string, ms: number, content: string): string {
  const attributes = `classname="${escapeXml(dataset)}" name="${escapeXml(name)}" time="${seconds(ms)}"`;
  return `    <testcase ${attributes}>${content}</testcase>\n`;
}

const RESULT_ELEMENTS = { passed: null, failed: 'failure', errors: 'error', cancelled: 'skipped' } as const;

function formatResult(attempt: Attempt): string {
  const element = RESULT_ELEMENTS[totalOf(attempt.outcome)];
  if (element === null) return '';
  const message = `message="${shown(attempt.message ?? attempt.outcome)}"`;
  if (element === 'skipped') return `<skipped ${message}/>`;
  return `<${element} type="${attempt.outcome}" ${message}>${shown(describeGrades(attempt))}</${element}>`;
}

const describeGrades = ({ graders }: Attempt) =>
  graders
    .map(
      ({ name, score, detail, error }) =>
        `${name}: ${score}${(error ?? detail) ? `\n${error ?? detail}` : ''}`,
    )
    .join('\n\n');

function formatOutput({ directory }: BatchRun, attempt: Attempt): string {
  const lines = [
    `score: ${attempt.score}`,
    `directory: ${directory}`,
    `log: ${attempt.logPath}`,
    ...(attempt.patchPath === null ? [] : [`patch: ${attempt.patchPath}`]),
    ...attempt.findings.map(finding => `finding: ${finding}`),
  ];
  return `<system-out>${shown(lines.join('\n'))}</system-out>`;
}

/** Without colours, which CI servers do not render. */
const shown = (text: string) => escapeXml(stripVTControlCharacters(text));

const seconds = (ms: number) => (ms / 1000).toFixed(3);

/** Text in an element or an attribute. */
function escapeXml(text: string): string {
  return text
    .replaceAll(FORBIDDEN, '')
    .replaceAll(/[&<>"'\r\n\t]/g, character => ENTITIES[character] ?? character);
}

/** Characters that XML 1.0 cannot represent: most control characters, lone surrogates, two non-characters. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Whitespace as numeric references; otherwise parsers turn it into spaces in attributes and lose carriage returns. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};
