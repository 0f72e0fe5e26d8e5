import { dirname } from 'node:path';
import type { Preset } from '../../agent/preset.js';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import { findProgramIn } from '../../exec/find-program.js';
import type { Context } from '../context.js';

/**
 * What the agent of a template needs in a sandbox: its key and its other variables, as in a task, and its program where that is
 * not a program of the system. An image has its own programs.
 */
export function withAgentAccess(
  context: Pick<Context, 'places' | 'environment'>,
  sandbox: SandboxSettings,
  { keys, variables, program }: Preset,
): SandboxSettings {
  const ofProgram = sandbox.image === null ? findProgramDirectories(context, program) : [];
  return {
    ...sandbox,
    passEnvironment: [...new Set([...sandbox.passEnvironment, ...keys, ...variables])],
    readable: [...new Set([...sandbox.readable, ...ofProgram])],
  };
}

/** Why the agent can't reach its model from inside; null when it has a key. */
export function describeMissingKey(
  { environment }: Pick<Context, 'environment'>,
  { title, keys }: Preset,
): string | null {
  if (keys.some(name => environment[name])) return null;
  return `${title} has no key inside the sandbox: set ${keys.join(' or ')}, or log in inside`;
}

/** The directory of PATH that has it, so that it is found inside, and the package that it is part of. */
function findProgramDirectories(
  { environment, places }: Pick<Context, 'places' | 'environment'>,
  program: string,
): string[] {
  const untrusted = [places.cacheDir, places.stateDir];
  for (const entry of (environment.PATH ?? '').split(':')) {
    const file = findProgramIn(entry, program, untrusted);
    if (file === undefined) continue;
    const directories = [entry, packageOf(file)];
    return directories.filter(path => !isVisible(path) && !isAbove(path, environment.HOME));
  }
  return [];
}

/** Of a package of npm its whole directory; else the directory of the program. */
const packageOf = (file: string): string =>
  /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? dirname(file);

/** Directories that every sandbox shows. */
const isVisible = (path: string): boolean => /^\/(usr|bin|sbin|lib|opt|nix\/store)(\/|$)/.test(path);

/** A directory that holds the whole home is more than a program. */
const isAbove = (path: string, home: string | undefined): boolean =>
  path === '/' || (home !== undefined && `${home}/`.startsWith(`${path}/`));
