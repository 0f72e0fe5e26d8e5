import type { DoctorReport } from '../../../domain/report/result.js';
import { alignColumns } from '../terminal/columns.js';
import { printable, printableLines } from '../terminal/printable.js';

type Check = DoctorReport['checks'][number];
type Paint = Readonly<Record<'green' | 'yellow' | 'red' | 'dim', (text: string) => string>>;

/** One line per check, its hint below. */
export function formatDoctorList({ checks }: DoctorReport, paint: Paint): string {
  const lines = alignColumns(checks.map(check => [printable(check.name), printableLines(check.message)]));
  return checks
    .flatMap((check, index) => [
      `${mark(check.status, paint)} ${lines[index]}`,
      ...(check.hint === null ? [] : [paint.dim(`  hint: ${printable(check.hint)}`)]),
    ])
    .join('\n');
}

function mark(status: Check['status'], paint: Paint): string {
  switch (status) {
    case 'ok':
      return paint.green('✓');
    case 'warning':
      return paint.yellow('!');
    case 'problem':
      return paint.red('✗');
    case 'absent':
      return paint.dim('-');
  }
}
