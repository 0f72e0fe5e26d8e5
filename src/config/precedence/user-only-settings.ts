import { carrelError } from '../../domain/error/error.js';
import { findValue } from '../files/merge-values.js';
import type { YamlFile } from '../files/parse-yaml.js';
import { expandPattern } from './key-pattern.js';

/**
 * Keys that a repository may not set, because they have effects outside the workspace: where files are written, what
 * `carrel open` starts, which snapshots are kept, what a sandbox permits, who owns the files from a container, what
 * `carrel land` refuses, how much of the machine and of the user's money tasks use, who may reach the server and what
 * for, where events are sent, and variables for commands on the host (PATH, LD_PRELOAD, NODE_OPTIONS run code; a base URL sends the user's key
 * elsewhere). `*` is any name.
 */
export const userOnlyKeys = [
  'workspace.root',
  'workspace.editor',
  'workspace.container.volumes',
  'workspace.container.networkMode',
  'workspace.container.user',
  'templates.*.environment',
  'templates.*.network',
  'templates.*.runtime',
  'agents.*.environment',
  'agents.*.passEnvironment',
  'agents.*.hosts',
  'tasks.concurrency',
  'tasks.onInterruption',
  'tasks.limits',
  'sandbox.runtime',
  'sandbox.git',
  'sandbox.hooks',
  'sandbox.network',
  'sandbox.allow',
  'sandbox.nested',
  'sandbox.limits',
  'sandbox.passEnvironment',
  'sandbox.keys',
  'sandbox.keyHosts',
  'sandbox.readable',
  'sandbox.privileged',
  'sandbox.engineSocket',
  'land.autorunFiles',
  'server.host',
  'server.port',
  'server.hostNames',
  'server.allow',
  'webhooks',
  'snapshots.keepDays',
  'snapshots.ignoredLimit',
  'snapshots.regenerable',
  'snapshots.checkpoints',
  'snapshots.checkpointMinutes',
  'snapshots.checkpointsKept',
] as const;

/** CONFIG_USER_ONLY when a repository's file has such a key. */
export function refuseUserOnlyKeys(source: YamlFile, userFile: string | null): void {
  for (const path of userOnlyKeys.flatMap(key => expandPattern(source.value, key))) {
    if (findValue(source.value, path) === undefined) continue;
    throw carrelError('CONFIG_USER_ONLY', {
      file: source.file,
      ...source.keyPositionOf(path),
      key: path.join('.'),
      userFile: userFile ?? "the user's own configuration file",
    });
  }
}
