import { isIP } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';
import { parseHost, type Target } from '../rules/network-target.js';
import { type Opening, readOpening } from './client-hello.js';

/**
 * Lets a connection through once the host named inside is the allowed one: otherwise a client could name an allowed host of a
 * large provider to us, and another customer of the same provider to the provider. On TLS ports nothing else is let through.
 * Fails, after `onRefused`, when it is another host.
 */
export function createHelloGate(target: Target, onRefused: () => void): Transform {
  let held: Buffer | undefined = Buffer.alloc(0);

  function decide(opening: Opening, bytes: Buffer, done: TransformCallback): void {
    held = undefined;
    if (isRightHost(opening, target)) {
      done(null, bytes);
    } else {
      onRefused();
      done(new Error('another host was requested'));
    }
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (held) {
        held = Buffer.concat([held, chunk]);
        const opening = readOpening(held);
        if (opening.kind === 'incomplete') done();
        else decide(opening, held, done);
      } else {
        done(null, chunk);
      }
    },
    // The client has finished sending; if it sent nothing, there is nothing to refuse.
    flush(done) {
      if (held?.length) decide({ kind: 'no-hello' }, held, done);
      else done();
    },
  });
}

const HTTPS = 443;

function isRightHost(opening: Opening, { host, port }: Target): boolean {
  if (opening.kind !== 'hello') return port !== HTTPS;
  // TLS can't name an address (RFC 6066).
  if (opening.serverName === null) return isIP(host) !== 0;
  return parseHost(opening.serverName) === host;
}
