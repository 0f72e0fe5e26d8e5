import type { Jj } from './jj.js';

export interface JjIdentity {
  readonly name: string;
  readonly email: string;
}

const FALLBACK: JjIdentity = { name: 'Carrel', email: 'carrel@localhost' };

/** Who jj takes the user for. */
export async function readIdentity(jj: Jj, root: string): Promise<JjIdentity> {
  // 1: it is not set and has no default.
  const read = (key: string) => jj.text(['config', 'get', key], { workspace: root, answers: [0, 1] });
  const [name, email] = await Promise.all([read('user.name'), read('user.email')]);
  return { name: name || FALLBACK.name, email: email || FALLBACK.email };
}

/** For a jj that makes a commit: without them it would leave the author empty when the user is not known. */
export async function identityVariables(jj: Jj, root: string): Promise<Record<string, string>> {
  const { name, email } = await readIdentity(jj, root);
  return { JJ_USER: name, JJ_EMAIL: email };
}
