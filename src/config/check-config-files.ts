import { mergeValues } from './merge-values.js';
import { parseYaml, type YamlFile } from './parse-yaml.js';
import type { ConfigText } from './read-config-text.js';
import { type CarrelConfig, ConfigSchema } from './schema.js';
import { refuseUserOnlyKeys } from './user-only.js';
import { requireValid } from './validate.js';
import { withoutWeakerIsolation } from './weaker-isolation.js';

export interface CheckedFiles {
  /** What the files say together. */
  readonly config: CarrelConfig;
  /** Strongest first. */
  readonly files: readonly YamlFile[];
}

/** Checks the user's file, then the repository's over it; that may be stricter about isolation than the user, not laxer. */
export function checkConfigFiles(
  user: ConfigText | undefined,
  repository: ConfigText | undefined,
  userFile: string | null,
): CheckedFiles {
  const below = user && parseYaml(user);
  if (below) requireValid(ConfigSchema, below);
  const above = repository && parseYaml(repository);
  if (above) {
    refuseUserOnlyKeys(above, userFile);
    requireValid(ConfigSchema, above, below ? [below] : []);
  }
  const counted = above && below ? withoutWeakerIsolation(above, below) : above;
  const files = [counted, below].filter(file => file !== undefined);
  return { config: files.map(file => file.value).reduceRight(mergeValues, {}) as CarrelConfig, files };
}
