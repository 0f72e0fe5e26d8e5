import { onTestFinished } from 'vitest';
import type { Turn } from './script.js';
import { type ModelServer, serveScript } from './serve-script.js';

/** A model on loopback that says what a script tells it to; closed when the test ends. */
export async function startModelServer({ script }: { script: readonly Turn[] }): Promise<ModelServer> {
  const server = await serveScript(script);
  onTestFinished(server.close);
  return server;
}
