import { delimiter, isAbsolute } from 'node:path';
import type { CommandResult } from '../../../domain/command/command.js';
import { carrelError, errnoOf } from '../../../domain/error/error.js';
import type { RunProcess, RunRequest } from '../../../exec/run-process.js';

export type EngineName = 'podman' | 'docker';

/** The command line of a container engine. Both engines accept the same arguments; the differences are in ENGINES. */
export interface Engine {
  readonly name: EngineName;
  /** Runs it until it exits and returns any result. RUNTIME_UNAVAILABLE when it is not installed. */
  call(args: readonly string[], options?: CallOptions): Promise<CommandResult>;
  /** How to run it, for callers that follow it while it runs. `secrets` are variables of the engine's own process. */
  request(args: readonly string[], secrets?: Readonly<Record<string, string>>): EngineRequest;
}

export type EngineRequest = Pick<RunRequest, 'command' | 'args' | 'cwd' | 'env'>;

export interface CallOptions extends Pick<RunRequest, 'stdin' | 'signal' | 'timeoutMs' | 'onOutput'> {
  /** Whether it may need the network, and so the caller's proxy settings: an engine passes them on to containers. */
  readonly usesNetwork?: boolean | undefined;
}

export interface EngineOptions {
  readonly name: EngineName;
  readonly run: RunProcess;
  /**
   * The caller's environment; the engine gets what it needs to find its own files, and containers get nothing of it.
   */
  readonly environment: Readonly<Record<string, string>>;
}

/** Longer than any call that does not build or fetch an image; a daemon that hangs must not block us. */
const CALL_LIMIT_MS = 60_000;

export function createEngine({ name, run, environment }: EngineOptions): Engine {
  const env = engineEnvironment(name, environment);
  const request = (args: readonly string[], secrets = {}): EngineRequest => ({
    command: name,
    args,
    // A directory that is not a workspace and stays.
    cwd: '/',
    env: { ...secrets, ...env },
  });
  return {
    name,
    request,
    call: async (args, { usesNetwork, ...options } = {}) => {
      const proxies = usesNetwork ? pick(environment, PROXIES) : {};
      try {
        return await run({ timeoutMs: CALL_LIMIT_MS, ...options, ...request(args, proxies) });
      } catch (error) {
        throw explainMissingEngine(name, error);
      }
    },
  };
}

/** How the engines differ. */
export const ENGINES = {
  podman: {
    oldest: '4.0',
    hasDaemon: false,
    // Otherwise the container's first process, which ignores SIGTERM, gets ten seconds.
    removal: ['rm', '--force', '--time', '0', '--volumes'],
    install: 'install podman with the package manager of this system',
    variables: [
      'CONTAINERS_CONF',
      'CONTAINERS_CONF_OVERRIDE',
      'CONTAINERS_STORAGE_CONF',
      'CONTAINERS_REGISTRIES_CONF',
      'REGISTRY_AUTH_FILE',
      'STORAGE_DRIVER',
      'STORAGE_OPTS',
      'DBUS_SESSION_BUS_ADDRESS',
    ],
  },
  docker: {
    oldest: '20.10',
    /** When it is gone, commands in its containers continue. */
    hasDaemon: true,
    removal: ['rm', '--force', '--volumes'],
    install: 'install docker: https://docs.docker.com/engine/install',
    variables: [
      'DOCKER_HOST',
      'DOCKER_CONTEXT',
      'DOCKER_CONFIG',
      'DOCKER_CERT_PATH',
      'DOCKER_TLS_VERIFY',
      'DOCKER_API_VERSION',
    ],
  },
} as const;

const COMMON_VARIABLES = [
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
];

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap(name => [
  name,
  name.toLowerCase(),
]);

/** A relative entry of PATH would find an engine in the current directory. */
function engineEnvironment(name: EngineName, caller: EngineOptions['environment']): Record<string, string> {
  const path = (caller.PATH ?? '').split(delimiter).filter(isAbsolute).join(delimiter);
  return { ...pick(caller, [...COMMON_VARIABLES, ...ENGINES[name].variables]), PATH: path };
}

function pick(
  environment: Readonly<Record<string, string>>,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name)));
}

/** Explains why an engine did not even start: RUNTIME_UNAVAILABLE when it is not installed (any more). */
export function explainMissingEngine(name: EngineName, cause: unknown): unknown {
  if (errnoOf(cause) !== 'ENOENT') return cause;
  const problem = `${name} is not installed`;
  const details = { runtime: name, obstacle: 'not-installed', problem, advice: ENGINES[name].install };
  return carrelError('RUNTIME_UNAVAILABLE', details, cause);
}

/** The last line of an engine's output, without its own prefix; for display. */
export function lastLine({ stderr, stdout, timedOut, exitCode }: CommandResult): string {
  if (timedOut) return 'it did not answer in time';
  const lines = `${stdout}\n${stderr}`.trim().split('\n');
  const said = lines.at(-1)?.replace(/^(Error|docker): /, '');
  return said || `it gave no reason (exit status ${exitCode ?? 'none'})`;
}
