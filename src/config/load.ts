import { type EffectiveConfig, getEffectiveConfig } from './effective-config.js';
import { findValue } from './merge-values.js';
import { findOrigins, type Origin } from './origins.js';
import { type ConfigText, readConfigText, readRepositoryConfig } from './read-config-text.js';

/** The configuration in force, and who chose what. */
export interface LoadedConfig {
  readonly config: EffectiveConfig;
  /** By dotted key, such as `workspace.ports.from`; a list is one value. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** Files that were read, weakest first. */
  readonly files: readonly string[];
  /** Whether the repository, not the user, chose this value or any value below this key. */
  readonly fromRepository: (key: string) => boolean;
  /** What the user's own file says at a path, whatever the repository says; undefined when that is nothing. */
  readonly userValue: (path: readonly string[]) => unknown;
}

export interface ConfigPlaces {
  /** Holds `.carrel/config.yaml`; null outside of a repository. */
  readonly repositoryRoot: string | null;
  /** The user's own file; it need not exist. */
  readonly userFile: string | null;
}

/**
 * The repository's file over the user's over the defaults. Without files neither zod nor yaml is loaded, which is
 * most of the time that a short command takes.
 */
export async function loadConfig({ repositoryRoot, userFile }: ConfigPlaces): Promise<LoadedConfig> {
  const [user, repository] = await Promise.all([
    userFile === null ? undefined : readConfigText(userFile),
    repositoryRoot === null ? undefined : readRepositoryConfig(repositoryRoot),
  ]);
  const { config, files } = user || repository ? await checkFiles(user, repository, userFile) : nothing;
  const effective = getEffectiveConfig(config);
  const origins = findOrigins(effective, files);
  const own = files.find(({ file }) => file === user?.file);
  return {
    config: effective,
    origins,
    files: files.map(({ file }) => file).toReversed(),
    fromRepository: key => isFrom(repository?.file, key, origins),
    userValue: path => findValue(own?.value, path) ?? undefined,
  };
}

const nothing = { config: {}, files: [] };

async function checkFiles(
  user: ConfigText | undefined,
  repository: ConfigText | undefined,
  userFile: string | null,
) {
  const { checkConfigFiles } = await import('./check-config-files.js');
  return checkConfigFiles(user, repository, userFile);
}

function isFrom(file: string | undefined, key: string, origins: Readonly<Record<string, Origin>>): boolean {
  if (file === undefined) return false;
  return Object.entries(origins).some(
    ([name, origin]) => origin.file === file && (name === key || name.startsWith(`${key}.`)),
  );
}
