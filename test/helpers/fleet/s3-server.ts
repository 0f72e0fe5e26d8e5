import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { requirePart } from '../../parts/required-part.js';
import { tempDir } from '../temp.js';
import { waitFor } from '../wait-for.js';

/** A real S3 server, which checks signatures and checksums, with one bucket that is a directory. */
export interface S3Server {
  readonly port: number;
  readonly bucket: string;
  readonly directory: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const PROGRAM = process.env.CARREL_VERSITYGW ?? 'versitygw';

export function requireS3Server(context: Pick<TestContext, 'skip'>): void {
  const { status } = spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' });
  requirePart(context as TestContext, status === 0, 'S3 server');
}

const running = new Set<ChildProcess>();

/** For `afterEach`: what `onTestFinished` stops is found by the check for processes that a test leaves behind. */
export async function stopS3Servers(): Promise<void> {
  for (const server of running) {
    const ended = new Promise(resolve => server.once('exit', resolve));
    server.kill();
    await ended;
  }
  running.clear();
}

export async function startS3Server(): Promise<S3Server> {
  const root = tempDir();
  const keys = { accessKeyId: 'carrel', secretAccessKey: 'not-a-secret' };
  const port = await findFreePort();
  for (const name of ['data/blobs', 'meta']) mkdirSync(join(root, name), { recursive: true });
  const args = [
    '--port',
    `127.0.0.1:${port}`,
    '--access',
    keys.accessKeyId,
    '--secret',
    keys.secretAccessKey,
  ];
  const server = spawn(PROGRAM, [...args, 'posix', '--sidecar', join(root, 'meta'), join(root, 'data')], {
    stdio: 'ignore',
  });
  running.add(server);
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => true as const,
      () => undefined,
    );
  await waitFor('the S3 server', isUp, 10_000);
  return { port, bucket: 'blobs', directory: join(root, 'data/blobs'), ...keys };
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
