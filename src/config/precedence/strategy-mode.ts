import { modeOfStrategy } from '../../domain/isolation/workspace-strategy.js';
import { findValue, mergeValues } from '../files/merge-values.js';
import type { YamlFile } from '../files/parse-yaml.js';

const STRATEGY = ['workspace', 'defaultStrategy'] as const;
const MODE = ['isolation', 'default'] as const;

/**
 * `workspace.defaultStrategy` is another word for `isolation.default`, which wins in the same file. It becomes that key
 * before files are merged, so that every rule about the mode holds for the strategy, and `config show` prints one truth.
 */
export function withModeOfStrategy(file: YamlFile): YamlFile {
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
