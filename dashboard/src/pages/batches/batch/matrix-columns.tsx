import { OutcomeCell } from '../../../components/matrix/outcome-cell.js';
import type { Column } from '../../../components/table/column.js';
import { formatCost, formatSpan } from '../../../components/text/amounts.js';
import { attemptAddress } from '../attempt-address.js';
import type { MatrixRow } from './matrix-rows.js';

export function matrixColumns(run: string, attempts: number): readonly Column<MatrixRow>[] {
  const numbers = Array.from({ length: attempts }, (_, index) => index + 1);
  return [
    { key: 'task', title: 'Task', cell: ({ taskId }) => taskId, sortBy: ({ taskId }) => taskId },
    ...numbers.map(number => attemptColumn(run, number)),
    {
      key: 'difficulty',
      title: 'Difficulty',
      needs: 'medium',
      cell: ({ difficulty }) => difficulty ?? '',
      sortBy: ({ difficulty }) => difficulty,
    },
    {
      key: 'language',
      title: 'Language',
      needs: 'medium',
      cell: ({ language }) => language ?? '',
      sortBy: ({ language }) => language,
    },
    {
      key: 'time',
      title: 'Time',
      needs: 'medium',
      alignsEnd: true,
      cell: row => spanText(sumOf(row, attempt => attempt.durationMs)),
      sortBy: row => sumOf(row, attempt => attempt.durationMs),
    },
    {
      key: 'cost',
      title: 'Cost',
      needs: 'wide',
      alignsEnd: true,
      cell: row => costText(sumOf(row, attempt => attempt.costUsd ?? 0)),
      sortBy: row => sumOf(row, attempt => attempt.costUsd ?? 0),
    },
  ];
}

const attemptColumn = (run: string, number: number): Column<MatrixRow> => ({
  key: `attempt-${number}`,
  title: `${number}`,
  cell: ({ taskId, attempts }) => (
    <OutcomeCell
      outcome={attempts[number - 1]?.outcome}
      href={attemptAddress(run, taskId, number)}
      name={`${taskId}, attempt ${number}`}
    />
  ),
  sortBy: ({ attempts }) => attempts[number - 1]?.outcome ?? null,
});

const sumOf = ({ attempts }: MatrixRow, amount: (attempt: Ended) => number): number =>
  attempts.reduce((total, attempt) => total + (attempt ? amount(attempt) : 0), 0);
type Ended = NonNullable<MatrixRow['attempts'][number]>;

const spanText = (milliseconds: number): string => (milliseconds === 0 ? '' : formatSpan(milliseconds));
const costText = (usd: number): string => (usd === 0 ? '' : formatCost(usd));
