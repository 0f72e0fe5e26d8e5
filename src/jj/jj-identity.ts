import type { Jj } from './jj.js';

export interface JjIdentity {
  readonly name: string;
  readonly email: string;
}

const FALLBACK: JjIdentity = { name: 'Carrel', email: 'carrel@localhost' };

/** The user as configured in jj. */
export async function readIdentity(jj: Jj, root: string): Promise<JjIdentity> {
  // 1: it is not set and has no default.
  const read = (key: string) => jj.text(['config', 'get', key], { workspace: root, answers: [0, 1] });
  const [name, email] = await Promise.all([read('user.name'), read('user.email')]);
  return { name: name || FALLBACK.name, email: email || FALLBACK.email };
}

/** For jj commands that create a commit: without them jj leaves the author empty when the user is not configured. */
export async function identityVariables(jj: Jj, root: string): Promise<Record<string, string>> {
  const { name, email } = await readIdentity(jj, root);
  return { JJ_USER: name, JJ_EMAIL: email };
}
