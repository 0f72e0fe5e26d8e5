import { type EffectiveConfig, getEffectiveConfig } from './effective-config.js';
import { findValue } from './files/merge-values.js';
import { type ConfigText, readConfigText, readRepositoryConfig } from './files/read-config-text.js';
import { findOrigins, type Origin } from './precedence/value-origins.js';

/** The effective configuration, and the origin of each value. */
export interface LoadedConfig {
  readonly config: EffectiveConfig;
  /** By dotted key, such as `workspace.ports.from`; a list is one value. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** Files that were read, weakest first. */
  readonly files: readonly string[];
  /** Whether the repository, not the user, chose this value or any value below this key. */
  readonly fromRepository: (key: string) => boolean;
  /** The value at a path in the user's own file, regardless of the repository's; undefined when there is none. */
  readonly userValue: (path: readonly string[]) => unknown;
}

export interface ConfigPlaces {
  /** Contains `.carrel/config.yaml`; null outside a repository. */
  readonly repositoryRoot: string | null;
  /** The user's own file; it need not exist. */
  readonly userFile: string | null;
}

/**
 * Merges the repository's file over the user's over the defaults. Without files neither zod nor yaml is loaded, which
 * would be most of the time of a short command.
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
  const { checkConfigFiles } = await import('./precedence/check-config-files.js');
  return checkConfigFiles(user, repository, userFile);
}

function isFrom(file: string | undefined, key: string, origins: Readonly<Record<string, Origin>>): boolean {
  if (file === undefined) return false;
  return Object.entries(origins).some(
    ([name, origin]) => origin.file === file && (name === key || name.startsWith(`${key}.`)),
  );
}
