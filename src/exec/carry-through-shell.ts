export interface Carried {
  /** For the shell. */
  readonly env: Record<string, string>;
  /** Text by which it becomes the program of its arguments, which then has the whole environment. */
  readonly run: string;
}

/**
 * Brings an environment through a shell to a program: what is no name to a shell it drops, and some names it takes for
 * itself. Those go by other names, and env(1) has them in its arguments for the moment until it is the program; for as
 * long as that runs, everybody on the machine could read them there.
 */
export function carryThroughShell(env: Readonly<Record<string, string>>): Carried {
  const odd = Object.entries(env).filter(([name]) => !isPlain(name));
  if (odd.length === 0) return { env, run: 'exec "$@"' };
  const plain = Object.entries(env).filter(([name]) => isPlain(name));
  const carried = odd.map(
    ([name, value], index) => [`CARREL_VARIABLE_${index}`, `${name}=${value}`] as const,
  );
  const without = carried.map(([name]) => `-u ${name}`).join(' ');
  const added = carried.map(([name]) => `"$${name}"`).join(' ');
  return {
    env: Object.fromEntries([...plain, ...carried]),
    run: `exec /usr/bin/env ${without} -- ${added} "$@"`,
  };
}

const isPlain = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !SHELLS_OWN.has(name);

/** dash ends at once over an OPTIND that is no number, and reads words apart at an IFS of others; the rest is bash's. */
const SHELLS_OWN: ReadonlySet<string> = new Set([
  'OPTIND',
  'IFS',
  'PPID',
  'UID',
  'EUID',
  'SHELLOPTS',
  'BASHOPTS',
]);
