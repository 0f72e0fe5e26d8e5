import type { AutorunFile } from '../../../../domain/workspace/autorun-file.js';
import { describeAutorunFile } from '../../../../domain/workspace/autorun-files.js';
import type { Session } from '../../cli-session.js';

/** Warns of files in an answer that run without being started. */
export function warnOfAutorunFiles({ output }: Session, files: readonly AutorunFile[]): void {
  for (const file of files) output.narrate(`warning: runs automatically: ${describeAutorunFile(file)}`);
}
