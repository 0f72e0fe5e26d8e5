import type { Git, GitPlace } from '../git.js';

const FALLBACK = { name: 'Carrel', email: 'carrel@localhost' };

/**
 * What to add to git's environment so that a commit can be made: nothing when git has the user's identity, and Carrel's
 * identity for each role that git has none for, instead of failing.
 */
export async function findIdentityVariables(git: Git, place: GitPlace): Promise<Record<string, string>> {
  const roles = ['AUTHOR', 'COMMITTER'] as const;
  const known = await Promise.all(roles.map(role => hasIdentity(git, place, role)));
  return Object.assign({}, ...roles.filter((_, index) => !known[index]).map(fallbackVariables));
}

/** The author of a commit in git's format; Carrel when git has none. */
export async function findAuthor(git: Git, place: GitPlace): Promise<{ name: string; email: string }> {
  const { exitCode, stdout } = await git.run(['var', 'GIT_AUTHOR_IDENT'], { ...place, answers: [0, 128] });
  if (exitCode !== 0) return FALLBACK;
  const [, name = '', email = ''] =
    /^(.*) <([^>]*)> \d+ [+-]\d+$/.exec(stdout.toString('utf8').trimEnd()) ?? [];
  return { name, email };
}

/** `git var` applies the same rules to an identity as `git commit` and exits with 128 when it would be refused. */
async function hasIdentity(git: Git, place: GitPlace, role: string): Promise<boolean> {
  return (await git.run(['var', `GIT_${role}_IDENT`], { ...place, answers: [0, 128] })).exitCode === 0;
}

function fallbackVariables(role: string): Record<string, string> {
  return { [`GIT_${role}_NAME`]: FALLBACK.name, [`GIT_${role}_EMAIL`]: FALLBACK.email };
}
