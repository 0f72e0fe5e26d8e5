import { delimiter } from 'node:path';
import type { SandboxSettings } from '../domain/sandbox.js';
import { INSIDE } from '../runtime/policy.js';

/** Where programs are inside, besides those directories of the caller's PATH that can be read there. */
const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Of the caller's variables, those that say how a person reads; none of them can hold a secret or lead anywhere. */
const HARMLESS = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'COLORTERM', 'TZ', 'NO_COLOR', 'FORCE_COLOR'];

/**
 * The environment inside, from nothing: what every program needs, what the workspace brings, and of the caller's
 * variables only those that the user's own configuration names. A name that ends a list wins over those before it.
 */
export function sandboxEnvironment(
  caller: Readonly<Record<string, string>>,
  settings: SandboxSettings,
  workspace: Readonly<Record<string, string>>,
): Record<string, string> {
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap(name => (caller[name] === undefined ? [] : [[name, caller[name]]])));
  return {
    LANG: 'C.UTF-8',
    ...pick(HARMLESS),
    HOME: INSIDE.home,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/sh',
    PATH: searchPath(caller.PATH ?? '', settings),
    ...workspace,
    ...settings.environment,
    ...pick(settings.passEnvironment),
    // So that an agent which has a sandbox of its own knows that one stands around it.
    IS_SANDBOX: '1',
    CARREL_SANDBOX: '1',
  };
}

function searchPath(callerPath: string, { readable, volumes }: SandboxSettings): string {
  const seen = [...readable, ...volumes.map(volume => volume.to)];
  const isSeen = (entry: string) => seen.some(path => `${entry}/`.startsWith(`${path}/`));
  return [...callerPath.split(delimiter).filter(isSeen), ...SYSTEM_PATH].join(delimiter);
}
