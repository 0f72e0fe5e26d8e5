import { join } from 'node:path';
import type { Attempt, Grade } from '../../../../domain/batch/attempt.js';
import type { BatchRun } from '../../../../domain/batch/batch-run.js';
import { cleanLine } from '../../terminal/clean-line.js';
import type { Paint } from '../../terminal/output.js';
import { formatElapsed, formatUsage } from '../format-amounts.js';
import { section } from '../section.js';
import { formatAttemptLine } from './eval-attempt.js';

/** The details of the attempts of one task. */
export function formatTaskAttempts(run: BatchRun, attempts: readonly Attempt[], paint: Paint): string {
  if (attempts.length === 0) return 'no attempt of this task has finished yet';
  return attempts.map(attempt => formatAttempt(run, attempt, paint)).join('\n\n');
}

function formatAttempt({ directory }: BatchRun, attempt: Attempt, paint: Paint): string {
  const { patchPath, logPath, worktreePath, findings, message, graders, usage, timings } = attempt;
  const files = [
    ...(patchPath === null ? [] : [`patch  ${join(directory, patchPath)}`]),
    `log    ${join(directory, logPath)}`,
    ...(worktreePath === null ? [] : [`files  ${worktreePath}`]),
  ];
  const times = Object.entries(timings).map(([part, ms]) => `${part.replace(/Ms$/, '')} ${formatTime(ms)}`);
  return [
    formatAttemptLine(attempt, paint),
    ...section('Graders', graders.flatMap(formatGrade)),
    ...section('Message', lines(message)),
    ...section('Findings', findings.map(cleanLine)),
    ...section('Used', [formatUsage(usage), times.join(', ')].filter(Boolean)),
    ...section('Where', describeEnvironment(attempt)),
    ...section('Files', files),
  ].join('\n');
}

/** Records from before this field have none. */
function describeEnvironment({ environment }: Partial<Attempt>): string[] {
  const facts = Object.entries(environment ?? {}).map(([name, value]) => cleanLine(`${name} ${value}`));
  return facts.length === 0 ? [] : [facts.join(', ')];
}

const formatTime = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatElapsed(ms);

const formatGrade = ({ name, kind, score, passed, detail, error }: Grade): string[] => [
  `${passed ? '✓' : '✗'} ${cleanLine(name)} (${kind}) ${score.toFixed(2)}`,
  ...lines(error ?? (passed ? null : detail)).map(line => `    ${line}`),
];

const lines = (text: string | null): string[] =>
  text === null ? [] : text.trimEnd().split('\n').slice(-20).map(cleanLine);
