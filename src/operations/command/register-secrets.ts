import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectiveConfig } from '../../config/effective-config.js';
import type { Redactor } from '../../domain/secret/redactor.js';
import { secretsGiven } from '../../domain/secret/secret-variables.js';
import type { ResolvedAgent } from '../../domain/task/task.js';

type Variables = Readonly<Record<string, string>>;

/** Adds what the configuration passes to sandboxes and agents. */
export function registerConfigSecrets(redactor: Redactor, config: EffectiveConfig, caller: Variables): void {
  const { sandbox, workspace, templates, agents } = config;
  redactor.add(secretsGiven(pick(caller, [...sandbox.passEnvironment, ...Object.keys(sandbox.keyHosts)])));
  redactor.add(secretsGiven(workspace.container?.environment ?? {}));
  for (const { environment } of Object.values(templates)) redactor.add(secretsGiven(environment ?? {}));
  for (const { environment = {}, passEnvironment = [], files = {} } of Object.values(agents))
    registerAgentSecrets(redactor, { environment, passEnvironment, files }, caller);
}

/** Adds what one agent gets; a task keeps its agents as they were at its creation. */
export function registerAgentSecrets(
  redactor: Redactor,
  { environment, passEnvironment, files }: Pick<ResolvedAgent, 'environment' | 'passEnvironment' | 'files'>,
  caller: Variables,
): void {
  redactor.add(secretsGiven(environment));
  redactor.add(secretsGiven(pick(caller, passEnvironment)));
  for (const text of Object.values(files)) redactor.add(secretsGiven(findVariables(text)));
}

/** Adds the token of this machine's server, which agents on the host can read. */
export function registerServerToken(redactor: Redactor, stateDir: string): void {
  try {
    redactor.add([readFileSync(join(stateDir, 'server', 'token'), 'utf8').trim()]);
  } catch {
    // There is no server, or its token is not readable: then our agents can't read it either.
  }
}

const pick = (caller: Variables, names: readonly string[]): Variables =>
  Object.fromEntries(names.flatMap(name => (caller[name] === undefined ? [] : [[name, caller[name]]])));

/** Variables and headers in a file of JSON: this is where MCP servers are given their credentials. */
function findVariables(text: string): Variables {
  if (!text.trimStart().startsWith('{')) return {};
  const found: Record<string, string> = {};
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (!HOLDERS.includes(key) || value === null || typeof value !== 'object') return value;
      for (const [name, each] of Object.entries(value))
        if (typeof each === 'string') found[`${name}_${Object.keys(found).length}`] = withoutScheme(each);
      return value;
    });
  } catch {
    return {};
  }
  return found;
}

const HOLDERS = ['env', 'environment', 'headers', 'http_headers'];

/** Of `Bearer abc`, the token. */
const withoutScheme = (value: string): string => value.replace(/^(Bearer|Basic|Token) +/i, '');
