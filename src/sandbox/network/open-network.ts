import { join } from 'node:path';
import { carrelError } from '../../domain/error/error.js';
import { INSIDE } from '../../runtime/policy.js';
import type { HeldKey } from '../keys/held-key.js';
import { NO_KEYS, openKeys } from '../keys/open-keys.js';
import type { SandboxPlace } from '../sandbox-place.js';
import { type ProxyOptions, startProxy } from './proxy/proxy.js';
import {
  proxyVariables,
  RELAY_FAILED,
  type RelayedPorts,
  relayCommand,
  relayEnvironment,
} from './relay/relay.js';
import { openRefusalLog } from './rules/refusal-log.js';
import { openSocketDirectory } from './socket-directory.js';

export interface NetworkRequest
  extends Pick<ProxyOptions, 'now' | 'limits' | 'resolve' | 'connect' | 'allowNow'> {
  /** Its `proxyDir` is seen inside as INSIDE.proxy, read-only. */
  readonly place: SandboxPlace;
  readonly allow: readonly string[];
  /** Name of the socket: unique per command, at most 70 bytes, without a slash. */
  readonly id: string;
  /** Keys that stay outside, and the caller's variables, which may name authorities to trust. */
  readonly keys?:
    | { readonly held: readonly HeldKey[]; readonly caller: Readonly<Record<string, string>> }
    | undefined;
  /** A port of this machine instead of a socket, for runtimes without mounts and their own network. */
  readonly byPort?: boolean | undefined;
}

/** The way out of a sandbox for one command. */
export interface NetworkAccess {
  readonly environment: Readonly<Record<string, string>>;
  /** The wrapper to run inside: it sets the proxy variables and then becomes the command. */
  wrap(command: readonly string[], ports?: RelayedPorts): readonly string[];
  /** The port of this machine that the proxy listens on, where it does. */
  readonly proxyPort?: number | undefined;
  /** NETWORK_UNAVAILABLE when the result shows that the proxy was not reachable, so the command did not run. */
  requireReached(result: { readonly exitCode: number | null }): void;
  /** Number of refused connections. */
  refusals(): number;
  /** Closes all connections; idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the network of a sandbox that has none, for one command, to the hosts of an allowlist: a proxy in this process on a
 * socket that is visible inside, with a relay inside that listens on 127.0.0.1 for programs to connect to. When this process
 * dies the socket is dead, and nothing can connect out any more.
 */
export function openNetwork({ byPort, ...request }: NetworkRequest): Promise<NetworkAccess> {
  return byPort ? openByPort(request) : openBySocket(request);
}

/**
 * Every program on the machine can reach the port, which gives it no new access; the rules of the sandbox let its commands
 * reach only that port.
 */
async function openByPort({
  place,
  allow,
  id,
  keys: held,
  ...request
}: NetworkRequest): Promise<NetworkAccess> {
  const log = await openRefusalLog(place.refusedFile);
  const file = join(place.home, `.carrel-${id}.pem`);
  const keys = held ? await openKeys({ ...held, file, seenAt: file, now: request.now() }) : NO_KEYS;
  const proxy = await startProxy({ ...request, allow, keys: keys.gate, onRefused: log.add }).catch(
    async error => {
      await keys.close();
      throw error;
    },
  );
  let closed: Promise<void> | undefined;
  return {
    environment: { ...relayEnvironment(allow), ...proxyVariables(proxy.port as number), ...keys.environment },
    wrap: command => command,
    proxyPort: proxy.port,
    requireReached: () => undefined,
    refusals: log.count,
    close: () => (closed ??= proxy.close().then(keys.close).then(log.close)),
  };
}

async function openBySocket({
  place,
  allow,
  id,
  keys: held,
  ...request
}: NetworkRequest): Promise<NetworkAccess> {
  const name = `${id}.sock`;
  const directory = await openSocketDirectory(place.proxyDir, request.now());
  const file = join(place.proxyDir, `${id}.pem`);
  const seenAt = join(INSIDE.proxy, `${id}.pem`);
  const keys = held ? await openKeys({ ...held, file, seenAt, now: request.now() }) : NO_KEYS;
  const log = await openRefusalLog(place.refusedFile);
  let isReached = false;
  const onReached = () => {
    isReached = true;
  };
  const socketPath = directory.pathOf(name);
  const options = { ...request, allow, socketPath, keys: keys.gate, onRefused: log.add, onReached };
  const proxy = await startProxy(options).catch(async error => {
    await keys.close();
    await directory.close();
    throw error;
  });
  let closed: Promise<void> | undefined;
  return {
    environment: { ...relayEnvironment(allow), ...keys.environment },
    wrap: (command, ports) => relayCommand({ proxy: join(INSIDE.proxy, name), ports }, command),
    requireReached: ({ exitCode }) => {
      if (exitCode === RELAY_FAILED && !isReached)
        throw carrelError('NETWORK_UNAVAILABLE', { problem: NO_RELAY });
    },
    refusals: log.count,
    close: () => (closed ??= proxy.close().then(keys.close).then(log.close).then(directory.close)),
  };
}

const NO_RELAY =
  "there is no perl, python3, node or socat inside the sandbox, or it cannot open the proxy's socket";
