import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import { INSIDE } from '../../runtime/policy.js';
import type { Context } from '../context.js';
import type { DirectoryObstacle } from '../settings/resolve-isolation.js';

/**
 * Why a directory of the user must not be writable in a sandbox; undefined when it may be. It would show more than one project,
 * or hold files that control Carrel or the machine.
 */
export async function findDirectoryObstacle(
  context: Pick<Context, 'store' | 'backends' | 'places' | 'environment'>,
  path: string,
  sandbox: SandboxSettings,
): Promise<DirectoryObstacle | undefined> {
  const problem =
    findPlaceProblem(context, path) ?? (await findWorkspaceProblem(context, path)) ?? findWeakness(sandbox);
  return problem === undefined ? undefined : { path, problem };
}

function findPlaceProblem(
  { places, environment }: Pick<Context, 'places' | 'environment'>,
  path: string,
): string | undefined {
  const own = [places.stateDir, places.cacheDir, dirname(places.userConfigFile)].map(realPathOf);
  const contained = [
    ...(environment.HOME ? [{ place: realPathOf(environment.HOME), name: 'your home directory' }] : []),
    ...[...own, realPathOf(places.temporaryRoot)].map(place => ({
      place,
      name: "a directory of Carrel's own",
    })),
    ...SYSTEM.map(place => ({ place, name: 'a directory of the system' })),
    ...[INSIDE.home, dirname(INSIDE.git)].map(place => ({
      place,
      name: 'a path that every sandbox uses itself',
    })),
  ];
  const found = contained.find(({ place }) => isWithin(place, path));
  if (found) return found.place === path ? `is ${found.name}` : `contains ${found.name}`;
  if (own.some(place => isWithin(path, place))) return "is a part of Carrel's own files";
  if (WHOLE.some(place => isWithin(path, place))) return 'is a part of the system';
  return undefined;
}

/** Directories that hold more than one project, or the system itself. */
const SYSTEM = [
  '/bin',
  '/boot',
  '/dev/shm',
  '/etc',
  '/home',
  '/lib',
  '/opt',
  '/proc',
  '/run',
  '/sbin',
  '/sys',
  '/tmp',
  '/usr',
  '/var',
];
/** Those of which no part is a project. */
const WHOLE = ['/bin', '/boot', '/etc', '/lib', '/proc', '/sbin', '/sys', dirname(INSIDE.git), INSIDE.home];

/** What another workspace has is not ours to share. */
async function findWorkspaceProblem(
  { store, backends }: Pick<Context, 'store' | 'backends'>,
  path: string,
): Promise<string | undefined> {
  const others = (await store.workspaces.list()).filter(({ backend }) => backends.of(backend).ownsFiles);
  const around = others.find(other => isWithin(path, other.path));
  if (around) return `is a part of the workspace ${around.name}`;
  const within = others.find(other => isWithin(other.path, path));
  return within && `contains the workspace ${within.name}`;
}

/** With these, a program inside could uncover the git directory of the user. */
function findWeakness({ nested, privileged, engineSocket }: SandboxSettings): string | undefined {
  const setting = [
    nested ? ['sandbox.nested: allow'] : [],
    privileged ? ['sandbox.privileged'] : [],
    engineSocket ? ['sandbox.engineSocket'] : [],
  ].flat()[0];
  return setting && `would not be protected with ${setting}`;
}

const isWithin = (path: string, directory: string): boolean =>
  directory === '/' || `${path}/`.startsWith(`${directory}/`);

/** One that is not there has no other name. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
