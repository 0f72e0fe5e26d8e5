import type { WorkflowCheckReport } from '../../../../domain/workflow/workflow-report.js';
import { printable } from '../../terminal/printable.js';

/** One line per file, with its problems below. */
export function formatWorkflowCheck({ checked }: WorkflowCheckReport): string {
  return checked.map(formatChecked).join('\n');
}

function formatChecked({ kind, name, problems, warnings }: WorkflowCheckReport['checked'][number]): string {
  const count = problems.length;
  const verdict = count === 0 ? 'ok' : `${count} problem${count === 1 ? '' : 's'}`;
  return [
    `${kind} ${printable(name)}: ${verdict}`,
    ...problems.flatMap(({ message, hint }) => [`  ${printable(message)}`, `    hint: ${printable(hint)}`]),
    ...warnings.map(warning => `  warning: ${printable(warning)}`),
  ].join('\n');
}
