import { isIP, type Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import type { Reached } from '../network/proxy/reach-target.js';
import { formatTarget, type Target } from '../network/rules/network-target.js';

interface SecureOptions {
  readonly target: Target;
  readonly context: SecureContext;
  readonly limitMs: number;
}

/** Speaks TLS with a connected host, which must prove that it is the target. */
export function secureUpstream(
  upstream: Socket,
  { target, context, limitMs }: SecureOptions,
): Promise<Reached> {
  const { host } = target;
  const secure = connect({
    socket: upstream,
    host,
    servername: isIP(host) === 0 ? host : '',
    secureContext: context,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  return awaitHandshake(secure, target, limitMs);
}

function awaitHandshake(secure: TLSSocket, target: Target, limitMs: number): Promise<Reached> {
  return new Promise(resolve => {
    let problem = 'the connection was closed';
    const timer = setTimeout(() => secure.destroy(new Error('it took too long')), limitMs);
    secure.on('error', error => {
      problem = error.message;
    });
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      resolve({ kind: 'connected', upstream: secure });
    });
    secure.once('close', () => {
      clearTimeout(timer);
      const reason = `${formatTarget(target)} failed the TLS handshake: ${problem}`;
      resolve({ kind: 'unreached', status: 502, reason });
    });
  });
}
