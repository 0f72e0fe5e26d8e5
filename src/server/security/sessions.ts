import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Sessions {
  /** The name has the port: cookies do not know ports, and another server on this machine has its own. */
  readonly cookieName: string;
  readonly maxAgeSeconds: number;
  /** The value of a new session's cookie. */
  create(): string;
  isValid(value: string): boolean;
}

const DAYS = 30;

/**
 * Sessions of browsers, kept in their cookies alone: `EXPIRES.NONCE.SIGNATURE`, signed with a key that comes from the
 * token. They outlive the server, and a new token ends all of them.
 */
export function createSessions(options: {
  readonly token: string;
  readonly port: number;
  readonly now: () => number;
}): Sessions {
  const { token, now } = options;
  const key = createHmac('sha256', token).update('carrel browser session').digest();
  const sign = (content: string) => createHmac('sha256', key).update(content).digest('base64url');
  const maxAgeSeconds = DAYS * 24 * 60 * 60;
  return {
    cookieName: `carrel_session_${options.port}`,
    maxAgeSeconds,
    create() {
      const content = `${now() + maxAgeSeconds * 1000}.${randomBytes(16).toString('base64url')}`;
      return `${content}.${sign(content)}`;
    },
    isValid(value) {
      const at = value.lastIndexOf('.');
      const content = value.slice(0, Math.max(at, 0));
      return isEqual(value.slice(at + 1), sign(content)) && Number(content.split('.')[0]) > now();
    },
  };
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
