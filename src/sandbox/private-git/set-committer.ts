import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../../domain/error/error.js';
import type { Git } from '../../git/git.js';
import { findAuthor } from '../../git/history/commit-identity.js';
import type { Jj } from '../../jj/jj.js';
import { type JjIdentity, readIdentity } from '../../jj/jj-identity.js';
import { quoteValue } from './private-config.js';

export interface CommitterRequest {
  readonly git: Git;
  readonly jj: Jj;
  /** The private home, new or as a snapshot had it, before any process inside writes there. */
  readonly home: string;
  readonly repository: string;
  readonly commonDir: string;
  readonly usesJj: boolean;
}

/**
 * Sets the committer: in a sandbox that shows the repository itself, whose configuration is visible while the user's own, which
 * usually has it, is not; and in repositories that are created inside.
 */
export async function setCommitter(request: CommitterRequest): Promise<void> {
  const { git, jj, home, repository, commonDir, usesJj } = request;
  const { name, email } = await findAuthor(git, { gitDir: commonDir });
  const user = `[user]\n\tname = ${quoteValue(name)}\n\temail = ${quoteValue(email)}\n`;
  // A restored home has one, or a link that must not be followed.
  await writeFile(join(home, '.gitconfig'), user, { flag: 'wx' }).catch(ignoreExisting);
  if (usesJj) await setJjCommitter(home, await readIdentity(jj, repository));
}

function ignoreExisting(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error;
}

/** JSON strings are valid TOML. */
async function setJjCommitter(home: string, { name, email }: JjIdentity): Promise<void> {
  const directory = join(home, '.config', 'jj');
  if (await lstat(join(home, '.config')).catch(ignoreMissing)) return;
  await mkdir(directory, { recursive: true });
  const user = `[user]\nname = ${JSON.stringify(name)}\nemail = ${JSON.stringify(email)}\n`;
  await writeFile(join(directory, 'config.toml'), user, { flag: 'wx' });
}
