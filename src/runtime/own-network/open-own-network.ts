import { carrelError } from '../../domain/error/error.js';
import type { RunProcess } from '../../exec/run-process.js';
import { type HelperProcess, startHelper } from './helper-process.js';
import { listLocalAddresses } from './local-addresses.js';
import { type FindOptions, type NetworkPrograms, requireNetworkPrograms } from './network-programs.js';
import { RESOLVER } from './resolver.js';

export interface OwnNetworkOptions extends FindOptions {
  readonly run: RunProcess;
}

/** A network namespace with access to other machines and none to this one. */
export interface OwnNetwork {
  /** Prefix for a command and its arguments: it runs in the namespace, as the same process. */
  readonly enter: readonly string[];
  /** Idempotent; from then on, what still runs in the namespace has no network. */
  close(): Promise<void>;
}

/**
 * Creates the network of one command. A process that does nothing holds the namespace; an ordinary user needs a user
 * namespace around it, in which bubblewrap creates another one, so nothing inside has privileges over the network.
 * Addresses of this machine are blocked before there is any connection. Then slirp4netns or pasta transfers packets
 * between the namespace and this machine's network, without the loopback. IPv6 stays off, because this machine's IPv6
 * addresses change from hour to hour. OWN_NETWORK_UNAVAILABLE.
 */
export async function openOwnNetwork(options: OwnNetworkOptions): Promise<OwnNetwork> {
  const programs = requireNetworkPrograms(options);
  const kept: HelperProcess[] = [];
  const close = async (): Promise<void> => {
    for (const process of kept.splice(0).reverse()) await process.close();
  };
  try {
    const holder = await holdNamespace(programs, options);
    kept.push(holder);
    kept.push(await attachCarrier(programs, options, holder.pid));
    return { enter: enterCommand(programs, options, holder.pid), close };
  } catch (error) {
    await close();
    throw explain(programs, error);
  }
}

const ENVIRONMENT = { LC_ALL: 'C', PATH: '/usr/bin:/bin:/usr/sbin:/sbin' };

const HOLDER = `
ip=$1
shift
"$ip" link set lo up || exit
printf 'route add unreachable %s\\n' "$@" | "$ip" -batch - || exit
echo held
while read -r _; do :; done
`;

function holdNamespace({ unshare, ip }: NetworkPrograms, options: OwnNetworkOptions): Promise<HelperProcess> {
  const namespaces = options.uid === 0 ? ['--net'] : ['--user', '--map-root-user', '--net'];
  const closed = [...listLocalAddresses().filter(prefix => prefix !== `${RESOLVER}/32`), ...NEVER];
  return startHelper({
    run: options.run,
    command: [unshare, ...namespaces, '--', '/bin/sh', '-c', HOLDER, 'sh', ip, ...closed],
    env: ENVIRONMENT,
    isReady: said => said.includes('held'),
  });
}

/** The metadata server of clouds, which returns this machine's credentials. */
const NEVER = ['169.254.169.254/32'];

function attachCarrier(
  { carrier, nsenter }: NetworkPrograms,
  { run, uid }: OwnNetworkOptions,
  holder: number,
): Promise<HelperProcess> {
  const place = { user: uid === 0 ? undefined : `/proc/${holder}/ns/user`, net: `/proc/${holder}/ns/net` };
  // It isolates itself only with root privileges, which an ordinary user has in this namespace.
  const inUserNamespace =
    place.user === undefined ? [] : [nsenter, `--user=${place.user}`, '--preserve-credentials', '--'];
  if (carrier.name === 'slirp4netns')
    return startHelper({
      run,
      command: [...inUserNamespace, carrier.program, ...slirpArguments(place)] as [string, ...string[]],
      env: ENVIRONMENT,
      // Its messages end with a new line; the sign that it is ready does not.
      isReady: said => /(^|\n)1$/.test(said),
    });
  return startHelper({
    run,
    command: ['/bin/sh', '-c', UNTIL_END, 'sh', carrier.program, ...pastaArguments(place)],
    env: ENVIRONMENT,
    isReady: said => /^\d+\n/m.test(said),
  });
}

interface NamespacePlace {
  readonly user: string | undefined;
  readonly net: string;
}

const slirpArguments = ({ net }: NamespacePlace): string[] => [
  ...['--configure', '--mtu=65520', '--cidr=10.0.2.0/24', '--disable-host-loopback'],
  ...['--enable-sandbox', '--enable-seccomp', '--ready-fd=1', '--exit-fd=0'],
  ...['--netns-type=path', net, 'tap0'],
];

/** It writes its own pid when it is ready. */
const pastaArguments = ({ user, net }: NamespacePlace): string[] => [
  ...['--foreground', '--config-net', '--ipv4-only', '--no-map-gw', '--dns-forward', RESOLVER],
  ...['--tcp-ports', 'none', '--udp-ports', 'none', '--tcp-ns', 'none', '--udp-ns', 'none'],
  ...(user === undefined ? [] : ['--userns', user]),
  ...['--netns', net, '--pid', '/dev/stdout'],
];

/** pasta does not read its standard input. */
const UNTIL_END = `
exec 3<&0
"$@" < /dev/null &
carrier=$!
(while read -r _; do :; done; kill "$carrier") <&3 > /dev/null 2>&1 &
wait "$carrier"
`;

function enterCommand({ nsenter }: NetworkPrograms, { uid }: OwnNetworkOptions, holder: number): string[] {
  const user = uid === 0 ? [] : [`--user=/proc/${holder}/ns/user`, '--preserve-credentials'];
  return [nsenter, ...user, `--net=/proc/${holder}/ns/net`, '--'];
}

function explain({ carrier }: NetworkPrograms, cause: unknown): Error {
  const problem = cause instanceof Error ? cause.message : String(cause);
  const advice = /tun/.test(problem)
    ? 'let your user open /dev/net/tun, with: chmod 666 /dev/net/tun'
    : `run ${carrier.name} and unshare --net yourself to see the error`;
  return carrelError('OWN_NETWORK_UNAVAILABLE', { problem, advice }, cause);
}
