import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { tempDir } from '../temp.js';

/**
 * Two machines, each in a network namespace of the test's own; nothing of it is seen from outside. `onMachine` comes
 * before a command, which then runs on the first.
 *
 * That one (172.30.0.100, and 10.77.0.1 on a device without a cable) asks a resolver on its own 127.0.0.53, which says
 * 198.51.100.2 to every question: the other machine, which greets on port 80. The first has a service on 127.0.0.1:7000,
 * one on 0.0.0.0:7001, and one on the abstract socket `carrel-test`. Needs root and slirp4netns, which is their cable.
 */
export async function withSmallInternet(use: (onMachine: readonly string[]) => void): Promise<void> {
  const directory = tempDir();
  writeFileSync(join(directory, 'resolv.conf'), 'search example\nnameserver 127.0.0.53\n', { mode: 0o644 });
  writeFileSync(join(directory, 'serve.cjs'), SERVE);
  const args = ['--net', '/bin/sh', '-c', SCRIPT, 'sh', directory, process.execPath, MACHINE];
  const child = spawn('unshare', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    const machine = await readMachine(child.stdout);
    use(['nsenter', `--target=${machine}`, '--net', '--mount', '--', 'sh', '-c', 'cd "$0" && exec "$@"']);
  } finally {
    child.stdin.end();
    await exited;
  }
}

/** Its pid, when both machines serve. */
async function readMachine(stdout: Readable): Promise<string> {
  let said = '';
  for await (const chunk of stdout) {
    said += chunk;
    const machine = /^machine (\d+)$/m.exec(said)?.[1];
    if (machine !== undefined && said.split('serves').length === 3) return machine;
  }
  throw new Error(`the small internet ended: ${said}`);
}

const SCRIPT = `
set -e
ip link set lo up
ip address add 198.51.100.2/32 dev lo
mkfifo "$1/ready"
"$2" "$1/serve.cjs" far &
far=$!
unshare --net --mount /bin/sh -c "$3" sh "$1" "$2" &
machine=$!
# A namespace is entered some time after the fork.
while [ "$(readlink /proc/$machine/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do :; done
slirp4netns --configure --cidr=172.30.0.0/24 --ready-fd=3 --netns-type=path "/proc/$machine/ns/net" tap0 \\
  3> "$1/ready" > /dev/null 2>&1 &
carrier=$!
head -c 1 < "$1/ready" > /dev/null
echo "machine $machine"
while read -r _; do :; done
kill "$far" "$machine" "$carrier"
wait
`;

const MACHINE = `
set -e
mkdir "$1/devices"
mount -t tmpfs tmpfs "$1/devices"
mknod -m 666 "$1/devices/tun" c 10 200
mount --bind "$1/devices/tun" /dev/net/tun
mount --bind "$1/resolv.conf" /etc/resolv.conf
ip link set lo up
ip tuntap add idle0 mode tap
ip address add 10.77.0.1/24 dev idle0
ip link set idle0 up
exec "$2" "$1/serve.cjs" near
`;

const SERVE = `
const net = require('node:net');
const greet = word => net.createServer(socket => socket.on('error', () => undefined).end(word + '\\n'));
const listen = (server, ...place) => new Promise(resolve => server.listen(...place, resolve));
const dns = () => {
  const socket = require('node:dgram').createSocket('udp4');
  socket.on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5;
    const isAddress = question.readUInt16BE(end - 4) === 1;
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 198, 51, 100, 2]);
    const head = Buffer.concat([question.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, isAddress ? 1 : 0, 0, 0, 0, 0])]);
    socket.send(Buffer.concat([head, question.subarray(12, end), isAddress ? answer : Buffer.alloc(0)]), from.port, from.address);
  });
  return new Promise(resolve => socket.bind(53, '127.0.0.53', resolve));
};
const near = () => [
  listen(greet('loopback'), 7000, '127.0.0.1'),
  listen(greet('wildcard'), 7001, '0.0.0.0'),
  listen(greet('abstract'), '\\0carrel-test'),
  dns(),
];
const far = () => [listen(greet('far'), 80, '198.51.100.2')];
Promise.all(process.argv[2] === 'near' ? near() : far()).then(() => console.log('serves'));
`;
