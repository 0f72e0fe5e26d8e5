import { parseYaml, type YamlFile } from './parse-yaml.js';
import type { ConfigText } from './read-config-text.js';
import { type CarrelConfig, ConfigSchema } from './schema.js';
import { refuseUserOnlyKeys } from './user-only.js';
import { requireValid } from './validate.js';

export interface CheckedFiles {
  /** What the files say together. */
  readonly config: CarrelConfig;
  /** Strongest first. */
  readonly files: readonly YamlFile[];
}

/** Checks the user's file, then the repository's over it. */
export function checkConfigFiles(
  user: ConfigText | undefined,
  repository: ConfigText | undefined,
  userFile: string | null,
): CheckedFiles {
  const files: YamlFile[] = [];
  let config: unknown = {};
  for (const text of [user, repository]) {
    if (!text) continue;
    const file = parseYaml(text);
    if (text === repository) refuseUserOnlyKeys(file, userFile);
    config = requireValid(ConfigSchema, file, files);
    files.unshift(file);
  }
  return { config: config as CarrelConfig, files };
}
