import type { Attempt } from '../../domain/batch/attempt.js';
import type { BatchRun } from '../../domain/batch/batch-run.js';
import { inOrder } from './order-attempts.js';
import type { Write } from './text-writer.js';

type Value = string | number | null;

/** RFC 4180 with a header: one attempt per record. */
export async function writeCsv(run: BatchRun, write: Write): Promise<readonly string[]> {
  await write(toRecord(COLUMNS.map(([name]) => name)));
  for (const attempt of inOrder(run)) await write(toRecord(COLUMNS.map(([, read]) => read(attempt, run))));
  return [];
}

const COLUMNS: readonly (readonly [name: string, read: (attempt: Attempt, run: BatchRun) => Value])[] = [
  ['run', (_, run) => run.id],
  ['dataset', (_, run) => run.dataset],
  ['agent', (_, run) => run.agent],
  ['model', (_, run) => run.model],
  ['isolation', (_, run) => run.isolation],
  ['task', ({ taskId }) => taskId],
  ['attempt', ({ attempt }) => attempt],
  ['outcome', ({ outcome }) => outcome],
  ['score', ({ score }) => score],
  ['cost_usd', ({ costUsd }) => costUsd],
  ['input_tokens', ({ usage }) => usage.inputTokens],
  ['output_tokens', ({ usage }) => usage.outputTokens],
  ['started_at', ({ startedAt }) => startedAt],
  ['duration_ms', ({ durationMs }) => durationMs],
  ['agent_ms', ({ timings }) => timings.agentMs],
  ['grade_ms', ({ timings }) => timings.gradeMs],
  ['exit_code', ({ exitCode }) => exitCode],
  ['retries', ({ retries }) => retries],
  ['message', ({ message }) => message],
  ['findings', ({ findings }) => findings.join('; ')],
  ['patch', ({ patchPath }) => patchPath],
  ['log', ({ logPath }) => logPath],
];

const toRecord = (values: readonly Value[]) => `${values.map(toField).join(',')}\r\n`;

function toField(value: Value): string {
  if (value === null) return '';
  const text = typeof value === 'number' ? String(value) : withoutFormula(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Spreadsheets evaluate cells that start with these, and a formula can send other cells to a server. An apostrophe makes it
 * text. Some spreadsheets skip leading blanks and accept full-width forms, too.
 */
const withoutFormula = (text: string) => {
  const readable = text.replaceAll('\0', '');
  return /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r]/u.test(readable) ? `'${readable}` : readable;
};
