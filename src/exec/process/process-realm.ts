/**
 * Where a process lives, as text: `BOOT NAMESPACE MACHINE`. The boot id is a random number from the kernel, so equal
 * ids mean the same machine, whatever its name. Earlier versions did not record the machine.
 */
export interface Realm {
  readonly boot: string;
  readonly namespace: string;
  /** Undefined in a record of an earlier version. */
  readonly machine: string | undefined;
}

export const formatRealm = ({ boot, namespace, machine }: Realm): string =>
  [boot, namespace, ...(machine === undefined ? [] : [machine])].join(' ');

export function parseRealm(text: string): Realm {
  const [boot = '', namespace = '', machine] = text.split(' ');
  return { boot, namespace, machine };
}

/** Whether processes of one realm can be looked up from the other. A renamed machine is still the same one. */
export function isSameRealm(one: string, other: string): boolean {
  const [first, second] = [parseRealm(one), parseRealm(other)];
  return first.boot === second.boot && first.namespace === second.namespace;
}

/** Another boot of the same machine does not count, nor does a record of an earlier version, which has no machine. */
export function isAnotherMachine(one: Realm, other: Realm): boolean {
  if (one.boot === other.boot || one.machine === undefined || other.machine === undefined) return false;
  return one.machine !== other.machine;
}
