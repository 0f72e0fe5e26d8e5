import { onTestFinished } from 'vitest';
import type { Authority } from '../../../src/sandbox/keys/authority.js';
import type { Turn } from './script.js';
import { type ModelServer, serveScript } from './serve-script.js';

/** A scripted model on loopback; closed when the test ends. */
export async function startModelServer({
  script,
  vouching,
}: {
  script: readonly Turn[];
  /** With TLS, by a certificate of this one. */
  vouching?: Authority;
}): Promise<ModelServer> {
  const server = await serveScript(script, vouching);
  onTestFinished(server.close);
  return server;
}
