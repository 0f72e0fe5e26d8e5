import { modeOfStrategy } from '../../domain/isolation/workspace-strategy.js';
import { type CarrelConfig, ConfigSchema } from '../config-schema.js';
import { findValue, mergeValues } from '../files/merge-values.js';
import { parseYaml, type YamlFile } from '../files/parse-yaml.js';
import type { ConfigText } from '../files/read-config-text.js';
import { requireValid } from '../files/validate-yaml.js';
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

const STRATEGY = ['workspace', 'defaultStrategy'] as const;
const MODE = ['isolation', 'default'] as const;

/**
 * `workspace.defaultStrategy` is another word for `isolation.default`, which wins in the same file. It becomes that key
 * before files are merged, so that every rule about the mode applies to the strategy, and `config show` prints one value.
 */
function withModeOfStrategy(file: YamlFile): YamlFile {
  const mode = modeOfStrategy(findValue(file.value, STRATEGY));
  const isSet = (findValue(file.value, MODE) ?? null) !== null;
  if (mode === undefined || isSet) return file;
  const isMode = (path: readonly PropertyKey[]): boolean => path.join('.') === MODE.join('.');
  return {
    ...file,
    value: mergeValues(file.value, { isolation: { default: mode } }),
    positionOf: path => file.positionOf(isMode(path) ? STRATEGY : path),
    keyPositionOf: path => file.keyPositionOf(isMode(path) ? STRATEGY : path),
  };
}
