import { generateKeyPairSync } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { makeCertificate } from './certificate.js';

/**
 * A certificate authority for one command. Its private key is only in the memory of this process and is gone with the
 * command.
 */
export interface Authority {
  /** PEM. */
  readonly certificate: string;
  /** What a server needs to act as this host. */
  contextFor(host: string): SecureContext;
}

const NAME = 'Carrel sandbox';
const DAY_MS = 24 * 60 * 60_000;
/** Commands run for hours, not weeks; the clock inside may be slightly behind. */
const VALID_MS = 30 * DAY_MS;

export function createAuthority(now: number): Authority {
  const { publicKey, privateKey } = createPair();
  const issuer = { name: NAME, publicKey, privateKey };
  const period = { from: now - DAY_MS, until: now + VALID_MS };
  const certificate = makeCertificate({ name: NAME, publicKey, issuer, isAuthority: true, ...period });
  const contexts = new Map<string, SecureContext>();
  const createContext = (host: string): SecureContext => {
    const own = createPair();
    const cert = makeCertificate({
      name: host,
      publicKey: own.publicKey,
      issuer,
      isAuthority: false,
      ...period,
    });
    const key = own.privateKey.export({ type: 'pkcs8', format: 'pem' });
    return createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
  };
  return {
    certificate,
    contextFor: host => {
      const context = contexts.get(host) ?? createContext(host);
      contexts.set(host, context);
      return context;
    },
  };
}

const createPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
