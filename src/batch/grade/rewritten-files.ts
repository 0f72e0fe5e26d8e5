import type { Grader } from '../../domain/eval-item.js';
import type { TaskEnvironment } from '../isolation-provider.js';
import type { HiddenFiles } from './hidden-files.js';
import { type Judgement, judged } from './verdict.js';

/** Whether a command of the grader has the path in its text. */
export const namesPath = (grader: Grader, path: string): boolean =>
  commandsOf(grader).some(run => run.includes(path));

function commandsOf(grader: Grader): string[] {
  if ('run' in grader) return [grader.run];
  return grader.kind === 'files' ? grader.expect.flatMap(each => ('run' in each ? each.run : [])) : [];
}

/**
 * A shell reads its script while it runs it: a program that the script runs can write another end to it. So nothing is
 * believed when one of the graders' files that the command names is another when the command is through. Not any of
 * them: tests write to what lies beside them. One that is as it was by then is not seen. Undefined when all are.
 */
export async function findRewritten(
  environment: TaskEnvironment,
  { files }: HiddenFiles,
  run: string,
): Promise<Judgement | undefined> {
  for (const [path, { content }] of files) {
    if (!run.includes(path)) continue;
    if ((await environment.readFile(path, content.length))?.equals(content)) continue;
    const finding = `${path} was changed while graders ran`;
    return judged(0, false, `Not believed: ${path} was changed while it ran.`, [finding]);
  }
  return undefined;
}
