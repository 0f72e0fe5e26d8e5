import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { EscapeFixture } from './escape-workspace.js';

/** What there is to get at outside of a sandbox. */
export interface EscapeBait {
  /** Holds `.ssh/id_ed25519` with the secret in it, and `diary.txt`. */
  readonly home: string;
  readonly repository: string;
  readonly commonDir: string;
  readonly stateDir: string;
  /** The workspace; for a control, a directory that looks like one. */
  readonly path: string;
  /** The name of a directory beside it. */
  readonly neighbour: string;
  /** In the key, and in the environments of the launcher and of the victim. */
  readonly secret: string;
  readonly socketPath: string;
  readonly abstractName: string;
  /** On 127.0.0.1. */
  readonly port: number;
  /** A process of the workspace's user. */
  readonly victim: { readonly pid: number; isAlive(): boolean };
}

/** Starts what listens and lives on the host, for the time of `use`. */
export async function withBait<T>(fixture: EscapeFixture, use: (bait: EscapeBait) => Promise<T>): Promise<T> {
  const socketPath = join(fixture.home, 'agent.sock');
  const abstractName = `carrel-escape-${fixture.secret}`;
  const servers = [await listen(socketPath), await listen(`\0${abstractName}`)];
  if (fixture.uid !== undefined) chownSync(socketPath, fixture.uid, fixture.uid);
  const loopback = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
  await once(loopback, 'listening');
  const port = (loopback.address() as { port: number }).port;
  const victim = startVictim(fixture);
  const pid = victim.pid as number;
  try {
    return await use({
      ...fixture,
      socketPath,
      abstractName,
      port,
      victim: { pid, isAlive: () => isAlive(pid) },
    });
  } finally {
    for (const server of [...servers, loopback]) server.close();
    await end(victim);
  }
}

async function listen(path: string): Promise<Server> {
  const server = createServer(socket => socket.destroy()).listen(path);
  await once(server, 'listening');
  return server;
}

function startVictim({ uid, secret }: EscapeFixture): ChildProcess {
  const env = { PATH: process.env.PATH ?? '', VICTIM_SECRET: secret };
  return spawn('sleep', ['300'], { env, stdio: 'ignore', ...(uid === undefined ? {} : { uid, gid: uid }) });
}

/** A zombie is dead. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
