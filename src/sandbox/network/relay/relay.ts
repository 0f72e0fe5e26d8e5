import { parseAllowList } from '../rules/allow-list.js';
import { NODE_RELAY } from './relay-node.js';
import { PERL_RELAY } from './relay-perl.js';
import { PYTHON_RELAY } from './relay-python.js';
import { SOCAT_RELAY } from './relay-socat.js';

/** What a relay connects; paths are as seen inside. */
export interface RelayRequest {
  /** The proxy's socket. */
  readonly proxy?: string | undefined;
  readonly ports?: RelayedPorts | undefined;
}

/** Ports inside that the host may connect to: see ports/forward-ports.ts. */
export interface RelayedPorts {
  readonly socket: string;
  readonly numbers: readonly number[];
}

/**
 * Wraps a command to run inside, so that programs can reach the proxy's unix socket. Programs address proxies by host
 * and port, so a relay in the background listens on a free port of 127.0.0.1 and joins every connection to the socket.
 * The same relay connects the host to servers inside. It comes with the command and is not waited for when there is no proxy.
 *
 * The wrapper is a shell that starts the relay and then becomes the command, which so has its own process id, signals,
 * standard streams and exit status. The relay is not a child that a command would wait for; it exits within
 * a quarter of a second after the command, and nothing that the command could send to its process group but SIGKILL
 * stops it before.
 */
export function relayCommand({ proxy = '', ports }: RelayRequest, command: readonly string[]): string[] {
  const ofPorts = ports ? [ports.socket, ports.numbers.join(',')] : ['', ''];
  return ['sh', '-c', WRAPPER, 'sh', proxy, ...ofPorts, ...PROGRAMS, ...command];
}

/** The exit status when no relay could be started, or the socket is dead. The command was not run then. */
export const RELAY_FAILED = 125;

/**
 * In the order in which they are tried, by start-up cost: 4, 25 and 37 ms of CPU, and last the one with a cost for every
 * connection.
 */
const PROGRAMS = [PERL_RELAY, PYTHON_RELAY, NODE_RELAY, SOCAT_RELAY];

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

/**
 * A relay prints its port once it listens and has reached the socket, and then closes its standard output, which ends
 * the substitution. `$$` is the process that becomes the command. The relay closes the command's descriptors, or
 * a process that waits for their end would wait for the relay, and it starts in `/`: one that is still loading when
 * a short command has ended would count as a process in the workspace, and `down` refuses those. Names begin with
 * `carrel_` because a variable that happens to be in the environment already would be changed for the command.
 */
const WRAPPER = `
carrel_start() {
  command -v "$1" >/dev/null 2>&1 || return 1
  if [ -z "$carrel_socket" ]; then
    (cd /; PERL5OPT= NODE_OPTIONS= NODE_EXTRA_CA_CERTS= "$@" '' $$ "$carrel_ports" "$carrel_list" \\
      </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &)
    return 0
  fi
  carrel_port=$(cd /; PERL5OPT= NODE_OPTIONS= NODE_EXTRA_CA_CERTS= \\
    "$@" "$carrel_socket" $$ "$carrel_ports" "$carrel_list" \\
    </dev/null 2>/dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &)
  [ -n "$carrel_port" ]
}
carrel_socket=$1
carrel_ports=$2
carrel_list=$3
carrel_start perl -e "$4" ||
  carrel_start python3 -I -S -c "$5" ||
  carrel_start node -e "$6" ||
  [ -z "$carrel_socket" ] ||
  { command -v socat >/dev/null 2>&1 && carrel_start sh -c "$7" sh; } ||
  { echo 'carrel: the proxy of the sandbox could not be reached' >&2; exit ${RELAY_FAILED}; }
shift 7
[ -z "$carrel_socket" ] || for carrel_name in ${PROXY_VARIABLES.join(' ')}; do
  export "$carrel_name=http://127.0.0.1:$carrel_port"
done
unset carrel_socket carrel_ports carrel_list carrel_port carrel_name
unset -f carrel_start
exec "$@"
`;

/** For programs that reach the proxy itself. */
export const proxyVariables = (port: number): Record<string, string> =>
  Object.fromEntries(PROXY_VARIABLES.map(name => [name, `http://127.0.0.1:${port}`]));

/** What programs have to know besides the proxy's port. */
export function relayEnvironment(allow: readonly string[]): Record<string, string> {
  const listed = parseAllowList(allow).map(({ host }) => host);
  // Servers inside are reached directly, unless the list has the same name for a server outside.
  const direct = ['localhost', '127.0.0.1', '::1'].filter(host => !listed.includes(host)).join(',');
  // Node reads the variables of a proxy from 22.21 and 24 on, and only with this variable.
  return { NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: '1' };
}
