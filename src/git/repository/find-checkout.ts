import { realpath } from 'node:fs/promises';
import type { Git } from '../git.js';
import type { WorkTreePlace } from '../work-tree-place.js';

/** The checkout that contains a directory; undefined when none does. */
export async function findCheckout(git: Git, path: string): Promise<WorkTreePlace | undefined> {
  const query = ['rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir', '--show-toplevel'];
  const result = await git.run(query, { cwd: path, answers: [0, 128] });
  if (result.exitCode !== 0) return undefined;
  const [gitDir, commonDir, workTree] = result.stdout.toString('utf8').split('\n') as [
    string,
    string,
    string,
  ];
  return { gitDir: await realpath(gitDir), commonDir: await realpath(commonDir), workTree };
}
