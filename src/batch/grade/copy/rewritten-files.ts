import type { Grader } from '../../../domain/batch/eval-item.js';
import type { TaskEnvironment } from '../../isolation-provider.js';
import { type GradedVerdict, judged } from '../verdict.js';
import type { HiddenFiles } from './hidden-files.js';

/** Whether a command of the grader has the path in its text. */
export const namesPath = (grader: Grader, path: string): boolean =>
  commandsOf(grader).some(run => run.includes(path));

function commandsOf(grader: Grader): string[] {
  if ('run' in grader) return [grader.run];
  return grader.kind === 'files' ? grader.expect.flatMap(each => ('run' in each ? each.run : [])) : [];
}

/**
 * A shell reads its script while it runs it: a program that the script runs can change the rest of it. So a result is
 * ignored when one of the graders' files that the command names changed while the command ran. Other files are not
 * checked: tests write to files next to them. A file that was changed and restored is not noticed. Undefined when none changed.
 */
export async function findRewritten(
  environment: TaskEnvironment,
  { files }: HiddenFiles,
  run: string,
): Promise<GradedVerdict | undefined> {
  for (const [path, { content }] of files) {
    if (!run.includes(path)) continue;
    if ((await environment.readFile(path, content.length))?.equals(content)) continue;
    const finding = `${path} was changed while graders ran`;
    return judged(0, false, `Result ignored: ${path} was changed while it ran.`, [finding]);
  }
  return undefined;
}
