import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

/** The first bytes that Node's own TLS client sends when it asks for a host, or for none. */
export function makeHello(serverName: string | undefined): Buffer {
  const sent: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (chunk, _encoding, done) => {
      sent.push(chunk);
      done();
    },
  });
  const client = connect({ socket, ...(serverName === undefined ? {} : { servername: serverName }) });
  client.on('error', () => undefined);
  client.destroy();
  return Buffer.concat(sent);
}
