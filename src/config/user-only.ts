import { carrelError } from '../domain/error.js';
import { findValue, isMapping } from './merge-values.js';
import type { YamlFile } from './parse-yaml.js';

/**
 * What a repository may not choose for the person who cloned it, because it reaches out of the workspace: where files
 * are written, what `carrel open` starts, what is kept of removed work, what a sandbox lets through, and variables for commands
 * on the host (PATH, LD_PRELOAD, NODE_OPTIONS run code; a base URL takes the user's key elsewhere). `*` is any name.
 */
export const userOnlyKeys = [
  'workspace.root',
  'workspace.editor',
  'workspace.container.volumes',
  'workspace.container.networkMode',
  'templates.*.environment',
  'templates.*.network',
  'templates.*.runtime',
  'sandbox.runtime',
  'sandbox.git',
  'sandbox.network',
  'sandbox.allow',
  'sandbox.nested',
  'sandbox.limits',
  'sandbox.passEnvironment',
  'sandbox.readable',
  'sandbox.privileged',
  'sandbox.engineSocket',
  'snapshots.keepDays',
  'snapshots.ignoredLimit',
  'snapshots.regenerable',
] as const;

/** CONFIG_USER_ONLY when a repository's file has such a key. */
export function refuseUserOnlyKeys(source: YamlFile, userFile: string | null): void {
  for (const path of userOnlyKeys.flatMap(key => expand(source.value, key.split('.')))) {
    if (findValue(source.value, path) === undefined) continue;
    throw carrelError('CONFIG_USER_ONLY', {
      file: source.file,
      ...source.keyPositionOf(path),
      key: path.join('.'),
      userFile: userFile ?? "the user's own configuration file",
    });
  }
}

/** The pattern as paths: `*` becomes every key that is there. */
function expand(value: unknown, pattern: readonly string[]): string[][] {
  const [step, ...rest] = pattern;
  if (step === undefined) return [[]];
  const keys = step !== '*' ? [step] : isMapping(value) ? Object.keys(value) : [];
  return keys.flatMap(key => expand(findValue(value, [key]), rest).map(tail => [key, ...tail]));
}
