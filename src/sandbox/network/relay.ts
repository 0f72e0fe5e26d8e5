import { parseAllowList } from './allow-list.js';
import { NODE_RELAY } from './relay-node.js';
import { PERL_RELAY } from './relay-perl.js';
import { PYTHON_RELAY } from './relay-python.js';
import { SOCAT_RELAY } from './relay-socat.js';

/**
 * Wraps a command that is to run inside, so that programs can reach the proxy's unix socket. They know proxies by host
 * and port, so a relay in the background listens on a free port of 127.0.0.1 and joins every connection to the socket.
 *
 * The wrapper is a shell that starts the relay and then becomes the command, which so has its own process id, signals,
 * standard streams and exit status. The relay is nobody's child that a command would wait for; it ends by itself within
 * a quarter of a second after the command, and nothing that the command could send to its process group but SIGKILL
 * ends it before.
 */
export function relayCommand(socket: string, command: readonly string[]): string[] {
  return ['sh', '-c', WRAPPER, 'sh', socket, ...PROGRAMS, ...command];
}

/** The exit status when no relay could be started, or the socket is dead. The command was not run then. */
export const RELAY_FAILED = 125;

/**
 * In the order in which they are tried, by what they cost to start: 4, 25 and 37 ms of the processor, and last the one
 * that costs with every connection.
 */
const PROGRAMS = [PERL_RELAY, PYTHON_RELAY, NODE_RELAY, SOCAT_RELAY];

/**
 * A relay prints its port once it listens and has reached the socket, and then closes its standard output, which ends
 * the substitution. `$$` is the process that becomes the command. Descriptors of the command's are not the relay's, or
 * whoever waits for their end would wait for the relay. Names begin with `carrel_` because a variable that happens to
 * be in the environment already would be changed for the command.
 */
const WRAPPER = `
carrel_start() {
  command -v "$1" >/dev/null 2>&1 || return 1
  carrel_port=$(PERL5OPT= NODE_OPTIONS= NODE_EXTRA_CA_CERTS= "$@" "$carrel_socket" $$ \\
    </dev/null 2>/dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &)
  [ -n "$carrel_port" ]
}
carrel_socket=$1
carrel_start perl -e "$2" ||
  carrel_start python3 -I -S -c "$3" ||
  carrel_start node -e "$4" ||
  { command -v socat >/dev/null 2>&1 && carrel_start sh -c "$5" sh; } ||
  { echo 'carrel: the way out of the sandbox could not be opened' >&2; exit ${RELAY_FAILED}; }
shift 5
for carrel_name in HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy; do
  export "$carrel_name=http://127.0.0.1:$carrel_port"
done
unset carrel_socket carrel_port carrel_name
unset -f carrel_start
exec "$@"
`;

/** What programs have to know besides the proxy's port. */
export function relayEnvironment(allow: readonly string[]): Record<string, string> {
  const listed = parseAllowList(allow).map(({ host }) => host);
  // What listens inside is reached directly; unless the list means what listens outside, under the same name.
  const direct = ['localhost', '127.0.0.1', '::1'].filter(host => !listed.includes(host)).join(',');
  // Node reads the variables of a proxy from 22.21 and 24 on, and only when this says so.
  return { NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: '1' };
}
