import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Plain git, with no configuration of the machine's and an identity that does not change. */
export const gitEnvironment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Soak',
  GIT_AUTHOR_EMAIL: 'soak@example.com',
  GIT_COMMITTER_NAME: 'Soak',
  GIT_COMMITTER_EMAIL: 'soak@example.com',
};

export async function git(cwd, ...args) {
  const { stdout } = await run('git', args, { cwd, env: gitEnvironment, maxBuffer: 1024 ** 3 });
  return stdout.trimEnd();
}

/** The id that git would give to a file of this content. */
export function blobId(content) {
  const bytes = Buffer.from(content);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
