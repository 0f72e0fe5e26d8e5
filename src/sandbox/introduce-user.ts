import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ignoreMissing } from '../domain/error.js';
import type { Git } from '../git/git.js';
import { findAuthor } from '../git/identity.js';
import { type JjIdentity, readIdentity } from '../jj/identity.js';
import type { Jj } from '../jj/jj.js';
import { quoteValue } from './private-config.js';

export interface IntroduceRequest {
  readonly git: Git;
  readonly jj: Jj;
  /** The private home, new or as a snapshot had it, before anybody inside writes there. */
  readonly home: string;
  readonly repository: string;
  readonly commonDir: string;
  readonly usesJj: boolean;
}

/**
 * Says who commits: in a sandbox that shows the repository itself, whose configuration is there while the user's own,
 * which mostly says it, is not; and in repositories that are made inside.
 */
export async function introduceUser(request: IntroduceRequest): Promise<void> {
  const { git, jj, home, repository, commonDir, usesJj } = request;
  const { name, email } = await findAuthor(git, { gitDir: commonDir });
  const user = `[user]\n\tname = ${quoteValue(name)}\n\temail = ${quoteValue(email)}\n`;
  // A home that came back from a snapshot has one, or a link that is not to be followed.
  await writeFile(join(home, '.gitconfig'), user, { flag: 'wx' }).catch(ignoreExisting);
  if (usesJj) await introduceToJj(home, await readIdentity(jj, repository));
}

function ignoreExisting(error: unknown): void {
  if (errnoOf(error) !== 'EEXIST') throw error;
}

/** JSON's strings are TOML's. */
async function introduceToJj(home: string, { name, email }: JjIdentity): Promise<void> {
  const directory = join(home, '.config', 'jj');
  if (await lstat(join(home, '.config')).catch(ignoreMissing)) return;
  await mkdir(directory, { recursive: true });
  const user = `[user]\nname = ${JSON.stringify(name)}\nemail = ${JSON.stringify(email)}\n`;
  await writeFile(join(directory, 'config.toml'), user, { flag: 'wx' });
}
