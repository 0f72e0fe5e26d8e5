import { join } from 'node:path';
import { INSIDE } from '../../../runtime/policy.js';
import type { SandboxPlace } from '../../sandbox-place.js';
import type { RelayedPorts } from '../relay/relay.js';
import { openSocketDirectory } from '../socket-directory.js';
import { type ForwardOptions, forwardPorts } from './forward-ports.js';

export interface PortsRequest extends Omit<ForwardOptions, 'socketPath'> {
  /** Its `proxyDir` is seen inside as INSIDE.proxy, read-only. */
  readonly place: SandboxPlace;
  /** Unique per command, at most 70 bytes, without a slash. */
  readonly id: string;
  readonly now: () => number;
}

/** The way to servers that one command starts. */
export interface PortAccess {
  /** For the relay. */
  readonly relayed: RelayedPorts;
  /** Idempotent. */
  close(): Promise<void>;
}

export async function openPorts({ place, id, now, ...options }: PortsRequest): Promise<PortAccess> {
  const name = `${id}.ports`;
  const directory = await openSocketDirectory(place.proxyDir, now());
  const forwarder = await forwardPorts({ ...options, socketPath: directory.pathOf(name) }).catch(
    async error => {
      await directory.close();
      throw error;
    },
  );
  let closed: Promise<void> | undefined;
  return {
    relayed: { socket: join(INSIDE.proxy, name), numbers: options.ports },
    close: () => (closed ??= forwarder.close().then(directory.close)),
  };
}
