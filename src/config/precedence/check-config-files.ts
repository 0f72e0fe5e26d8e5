import { type CarrelConfig, ConfigSchema } from '../config-schema.js';
import { mergeValues } from '../files/merge-values.js';
import { parseYaml, type YamlFile } from '../files/parse-yaml.js';
import type { ConfigText } from '../files/read-config-text.js';
import { requireValid } from '../files/validate-yaml.js';
import { withModeOfStrategy } from './strategy-mode.js';
import { refuseUserOnlyKeys } from './user-only-settings.js';
import { withoutWeakerIsolation } from './weaker-isolation.js';

export interface CheckedFiles {
  /** The merged files. */
  readonly config: CarrelConfig;
  /** Strongest first. */
  readonly files: readonly YamlFile[];
}

/** Checks the user's file, then the repository's over it. The repository's may strengthen the user's isolation, not weaken it. */
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
  const own = below && withModeOfStrategy(below);
  const ofRepository = above && withModeOfStrategy(above);
  const counted = ofRepository && own ? withoutWeakerIsolation(ofRepository, own) : ofRepository;
  const files = [counted, own].filter(file => file !== undefined);
  return { config: files.map(file => file.value).reduceRight(mergeValues, {}) as CarrelConfig, files };
}
