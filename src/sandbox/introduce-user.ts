import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from '../git/git.js';
import { type JjIdentity, readIdentity } from '../jj/identity.js';
import type { Jj } from '../jj/jj.js';
import { findIdentity, quoteValue } from './private-config.js';

export interface IntroduceRequest {
  readonly git: Git;
  readonly jj: Jj;
  /** The private home, before anybody else writes there. */
  readonly home: string;
  readonly repository: string;
  readonly commonDir: string;
  readonly usesJj: boolean;
}

/**
 * Says who commits to the git and jj of a sandbox that shows the repository itself: its configuration is there, and the
 * user's own, which mostly says it, is not.
 */
export async function introduceUser(request: IntroduceRequest): Promise<void> {
  const { git, jj, home, repository, commonDir, usesJj } = request;
  const { name, email } = await findIdentity(git, commonDir);
  const user = `[user]\n\tname = ${quoteValue(name)}\n\temail = ${quoteValue(email)}\n`;
  await writeFile(join(home, '.gitconfig'), user, { flag: 'wx' });
  if (usesJj) await introduceToJj(home, await readIdentity(jj, repository));
}

/** JSON's strings are TOML's. */
async function introduceToJj(home: string, { name, email }: JjIdentity): Promise<void> {
  const directory = join(home, '.config', 'jj');
  await mkdir(directory, { recursive: true });
  const user = `[user]\nname = ${JSON.stringify(name)}\nemail = ${JSON.stringify(email)}\n`;
  await writeFile(join(directory, 'config.toml'), user, { flag: 'wx' });
}
