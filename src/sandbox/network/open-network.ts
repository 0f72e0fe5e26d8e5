import { join } from 'node:path';
import { carrelError } from '../../domain/error.js';
import { INSIDE } from '../../runtime/policy.js';
import type { SandboxPlace } from '../place.js';
import { type ProxyOptions, startProxy } from './proxy.js';
import { openRefusalLog } from './refusal-log.js';
import { RELAY_FAILED, relayCommand, relayEnvironment } from './relay.js';
import { openSocketDirectory } from './socket-directory.js';

export interface NetworkRequest extends Pick<ProxyOptions, 'now' | 'limits' | 'resolve' | 'connect'> {
  /** Its `proxyDir` is seen inside as INSIDE.proxy, read-only. */
  readonly place: SandboxPlace;
  readonly allow: readonly string[];
  /** Names the socket: of the command's own, at most 70 bytes, without a slash. */
  readonly id: string;
}

/** The way out of a sandbox for one command. */
export interface NetworkAccess {
  readonly environment: Readonly<Record<string, string>>;
  /** The command to run inside instead: it makes the way out known to programs, and becomes the command. */
  wrap(command: readonly string[]): string[];
  /** NETWORK_UNAVAILABLE when the result says that there was no way out, and so the command was not run. */
  requireReached(result: { readonly exitCode: number | null }): void;
  /** How often the allow-list said no. */
  refusals(): number;
  /** Ends all connections; idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the network of a sandbox that has none, for one command, to the hosts of an allow-list: a proxy in this process
 * on a socket that is seen inside, with a relay inside that listens on 127.0.0.1 for programs to connect to. When this
 * process dies the socket is dead, and nothing goes out any more.
 */
export async function openNetwork({ place, allow, id, ...request }: NetworkRequest): Promise<NetworkAccess> {
  const name = `${id}.sock`;
  const directory = await openSocketDirectory(place.proxyDir, request.now());
  const log = await openRefusalLog(place.refusedFile);
  let isReached = false;
  const onReached = () => {
    isReached = true;
  };
  const options = { ...request, allow, socketPath: directory.pathOf(name), onRefused: log.add, onReached };
  const proxy = await startProxy(options).catch(async error => {
    await directory.close();
    throw error;
  });
  let closed: Promise<void> | undefined;
  return {
    environment: relayEnvironment(allow),
    wrap: command => relayCommand(join(INSIDE.proxy, name), command),
    requireReached: ({ exitCode }) => {
      if (exitCode === RELAY_FAILED && !isReached)
        throw carrelError('NETWORK_UNAVAILABLE', { problem: NO_RELAY });
    },
    refusals: log.count,
    close: () => (closed ??= proxy.close().then(log.close).then(directory.close)),
  };
}

const NO_RELAY =
  'there is no perl, python3, node or socat inside, or it can not open the socket of the proxy';
