import { delimiter } from 'node:path';
import type { SandboxSettings } from '../../domain/sandbox/sandbox.js';
import { SHORTEST_SECRET } from '../../domain/secret/redactor.js';
import type { WorkspaceRecord } from '../../domain/workspace/workspace.js';
import { INSIDE } from '../../runtime/policy.js';
import { workspaceVariables } from '../../workspace/setup/workspace-variables.js';
import { requireSettings } from '../require-settings.js';

/** Where programs are inside, besides those directories of the caller's PATH that can be read there. */
const SYSTEM_PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The caller's locale and terminal variables; none of them can hold a secret or a path. */
const HARMLESS = ['LANG', 'LC_ALL', 'LC_CTYPE', 'TERM', 'COLORTERM', 'TZ', 'NO_COLOR', 'FORCE_COLOR'];

/**
 * The environment inside, from nothing: what every program needs, the workspace's variables, and of the caller's
 * variables only those that the user's own configuration names. Later entries win.
 */
export function sandboxEnvironment(
  caller: Readonly<Record<string, string>>,
  settings: SandboxSettings,
  workspace: Readonly<Record<string, string>>,
  home: string = INSIDE.home,
): Record<string, string> {
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap(name => (caller[name] === undefined ? [] : [[name, caller[name]]])));
  return {
    LANG: 'C.UTF-8',
    ...pick(HARMLESS),
    HOME: home,
    USER: 'agent',
    LOGNAME: 'agent',
    SHELL: '/bin/sh',
    PATH: searchPath(caller.PATH ?? '', settings),
    ...withoutKeys(chosenVariables(caller, settings, workspace), settings),
    // So that an agent with its own sandbox knows that it is already in one.
    IS_SANDBOX: '1',
    CARREL_SANDBOX: '1',
  };
}

/** Variables from the configuration, including keys that stay outside. */
export const inheritedVariables = (
  caller: Readonly<Record<string, string>>,
  record: WorkspaceRecord,
): Record<string, string> => chosenVariables(caller, requireSettings(record), workspaceVariables(record));

function chosenVariables(
  caller: Readonly<Record<string, string>>,
  { environment, passEnvironment }: SandboxSettings,
  workspace: Readonly<Record<string, string>>,
): Record<string, string> {
  const passed = passEnvironment.flatMap(name => (caller[name] === undefined ? [] : [[name, caller[name]]]));
  return { ...workspace, ...environment, ...Object.fromEntries(passed) };
}

/** Each command has its own placeholders instead: see keys/held-key.ts. */
function withoutKeys(
  variables: Readonly<Record<string, string>>,
  { keys = {} }: SandboxSettings,
): Record<string, string> {
  const values = Object.keys(keys).flatMap(name => variables[name] ?? []);
  const holdsKey = (value: string) =>
    values.some(key => key.length >= SHORTEST_SECRET && value.includes(key));
  return Object.fromEntries(
    Object.entries(variables).filter(([name, value]) => !Object.hasOwn(keys, name) && !holdsKey(value)),
  );
}

function searchPath(callerPath: string, { readable, volumes }: SandboxSettings): string {
  const seen = [...readable, ...volumes.map(volume => volume.to)];
  const isSeen = (entry: string) => seen.some(path => `${entry}/`.startsWith(`${path}/`));
  return [...callerPath.split(delimiter).filter(isSeen), ...SYSTEM_PATH].join(delimiter);
}
