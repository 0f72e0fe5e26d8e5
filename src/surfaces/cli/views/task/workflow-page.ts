import type { Expectation } from '../../../../domain/workflow/validation.js';
import type { StagePage, WorkflowPage } from '../../../../domain/workflow/workflow-report.js';
import { alignColumns } from '../../terminal/columns.js';
import { printable } from '../../terminal/printable.js';

/** The stages of a workflow. */
export function formatWorkflowPage(page: WorkflowPage): string {
  return [
    ...alignColumns(listFacts(page).map(row => row.map(printable))),
    '',
    ...formatStages(page.stages),
    ...section(
      'Repositories',
      page.repositories.map(
        ({ alias, path, base }) => `${alias}: ${path}${base === null ? '' : ` from ${base}`}`,
      ),
    ),
    ...section('Validation', page.validation.map(describeExpectation)),
    ...section(
      'Problems',
      page.problems.map(({ message }) => message),
    ),
    ...section('Warnings', page.warnings),
  ].join('\n');
}

function listFacts({ name, description, source, isolation, timeout, limits }: WorkflowPage): string[][] {
  const most = [
    ...(limits.tokens === undefined ? [] : [`${limits.tokens} tokens`]),
    ...(limits.costUsd === undefined ? [] : [`$${limits.costUsd}`]),
    ...(timeout === null ? [] : [timeout]),
  ];
  return [
    ['name', name],
    ['description', description],
    ['from', source],
    ['isolation', isolation],
    ...(most.length > 0 ? [['at most', most.join(', ')]] : []),
  ];
}

function formatStages(stages: readonly StagePage[]): string[] {
  const rows = stages.map(stage => [
    stage.name,
    stage.agent,
    formatProgram(stage.program),
    formatNames(stage.after),
    formatNames(stage.inputs),
    formatNames(stage.outputs),
    stage.timeout ?? '-',
    String(stage.retries),
  ]);
  const head = ['STAGE', 'AGENT', 'RUNS', 'AFTER', 'READS', 'MAKES', 'TIMEOUT', 'RETRIES'];
  const details = stages.flatMap(({ name, checks }) => checks.map(check => `${name}: ${check}`));
  return [
    ...alignColumns([head, ...rows.map(row => row.map(printable))]),
    ...section(
      'Isolation',
      stages.flatMap(({ name, isolation }) => (isolation === null ? [] : [`${name}: ${isolation}`])),
    ),
    ...section('Checks', details),
    ...section(
      'Waits for your approval after',
      stages.filter(({ approve }) => approve).map(({ name }) => name),
    ),
  ];
}

const formatProgram = (program: StagePage['program']): string =>
  program === null ? '?' : typeof program === 'string' ? program : program.join(' ');

const formatNames = (names: readonly string[]): string => (names.length === 0 ? '-' : names.join(', '));

function describeExpectation(expectation: Expectation): string {
  const { kind, name } = expectation;
  const what = 'run' in expectation ? expectation.run : expectation.path;
  const text = 'text' in expectation ? (expectation.text ?? expectation.pattern) : undefined;
  return [name ?? kind, what, ...(text === undefined ? [] : [JSON.stringify(text)])].join(': ');
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines.map(line => `  ${printable(line)}`)];
