export interface Carried {
  /** For the shell. */
  readonly env: Record<string, string>;
  /** Shell text that replaces the shell with the program in its arguments, with the whole environment. */
  readonly run: string;
}

/**
 * Passes an environment through a shell to a program. A shell drops variables whose names it does not accept, and
 * changes some others. Those get other names, and env(1) sets them from its arguments just before it becomes the
 * program; if they stayed in the arguments, every user of the machine could read them.
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

/** dash exits if OPTIND is not a number, and splits words at any IFS; the others are bash's. */
const SHELLS_OWN: ReadonlySet<string> = new Set([
  'OPTIND',
  'IFS',
  'PPID',
  'UID',
  'EUID',
  'SHELLOPTS',
  'BASHOPTS',
]);
