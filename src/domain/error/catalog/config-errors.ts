import { entry } from './catalog-entry.js';

/** `line` and `column` count from 1. */
export interface ConfigPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface SchemaPlace extends ConfigPlace {
  /** The name of this file's schema for `carrel schema`; `config` when left out. */
  readonly schema?: string | undefined;
}

const at = (d: ConfigPlace) => `${d.file}:${d.line}:${d.column}`;

export const configErrors = {
  CONFIG_SYNTAX: entry<ConfigPlace & { problem: string }>({
    kind: 'config',
    summary: 'A configuration file is not valid YAML.',
    message: d => `${at(d)}: ${d.problem}`,
    hint: d => `fix the YAML in ${d.file} at line ${d.line}`,
  }),
  CONFIG_UNKNOWN_KEY: entry<
    SchemaPlace & { key: string; expected: readonly string[]; nearest?: string | undefined }
  >({
    kind: 'config',
    summary: 'A configuration file has a key that Carrel does not know.',
    message: d => `${at(d)}: unknown key ${JSON.stringify(d.key)}; expected one of ${d.expected.join(', ')}`,
    hint: d =>
      d.nearest
        ? `did you mean "${d.nearest}"?`
        : `see \`carrel schema ${d.schema ?? 'config'}\` for all keys`,
  }),
  CONFIG_INVALID: entry<
    SchemaPlace & { key: string; found: string; expected: string; nearest?: string | undefined }
  >({
    kind: 'config',
    summary: 'A configuration value has the wrong type or is not one of the accepted values.',
    message: d => `${at(d)}: ${d.key} is ${d.found}; expected ${d.expected}`,
    hint: d =>
      d.nearest
        ? `did you mean "${d.nearest}"?`
        : `see \`carrel schema ${d.schema ?? 'config'}\` for the values of each key`,
  }),
  CONFIG_USER_ONLY: entry<ConfigPlace & { key: string; userFile: string }>({
    kind: 'config',
    summary: 'A repository sets a key that only the user may set, such as the location of workspaces.',
    message: d => `${at(d)}: ${d.key} can't be set by a repository; expected it in ${d.userFile}`,
    hint: d => `move ${d.key} to ${d.userFile}`,
  }),
  CONFIG_TWICE: entry<{ first: string; second: string }>({
    kind: 'config',
    summary: 'A configuration file exists under two names, so Carrel cannot know which one to use.',
    message: d => `${d.first} and ${d.second} both exist; expected only one of them`,
    hint: d => `move what you need to ${d.first}, then: rm ${d.second}`,
  }),
  CONFIG_UNREADABLE: entry<{ file: string; problem: string }>({
    kind: 'environment',
    summary: 'A configuration file exists but could not be read.',
    message: d => `cannot read ${d.file}: ${d.problem}`,
    hint: d => `check its permissions with: ls -l ${d.file}`,
  }),
} as const;
