import { realpath } from 'node:fs/promises';
import type { Git } from '../../git/git.js';
import type { WorkTreePlace } from '../../git/work-tree/place.js';

/** The checkout that a directory lies in; undefined when it lies in none. */
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
