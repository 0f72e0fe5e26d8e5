import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { readMountTable } from '../../../src/exec/filesystem/mount-table.js';
import { waitFor } from '../wait-for.js';

export type EngineName = 'podman' | 'docker';

/** A container engine that works on this machine, with the setup it needs. */
export interface TestEngine {
  readonly name: EngineName;
  /** What its command line needs; PATH included. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs it; for what a test wants to see or break for itself. */
  cli(...args: string[]): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
  close(): Promise<void>;
}

/** Undefined when the machine lacks it. Close it at the end of the test file. */
export async function openTestEngine(name: EngineName): Promise<TestEngine | undefined> {
  if (spawnSync(name, ['--version']).status !== 0) return undefined;
  const engine = name === 'podman' ? openPodman() : await openDocker();
  if (engine && !canUnpack(engine)) {
    await engine.close();
    return undefined;
  }
  return engine;
}

/** Whether it may do what an image needs: an engine that answers may lack the right to mount or to change its user. */
function canUnpack({ name, environment }: TestEngine): boolean {
  const image = `localhost/carrel-probe-${process.pid}`;
  const emptyArchive = Buffer.alloc(10_240);
  const { status } = spawnSync(name, ['import', '-', image], { env: environment, input: emptyArchive });
  spawnSync(name, ['rmi', '--force', image], { env: environment });
  return status === 0;
}

/** Where crun refuses the machine's control groups, podman gets a configuration of the tests' own. */
function openPodman(): TestEngine {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-podman-')));
  const file = join(place, 'containers.conf');
  writeFileSync(file, PODMAN_CONFIGURATION);
  const environment = existsSync('/sys/fs/cgroup/unified') ? { CONTAINERS_CONF: file } : {};
  const close = async () => rmSync(place, { recursive: true, force: true });
  return toEngine('podman', { ...ownEnvironment(), ...environment }, close);
}

const PODMAN_CONFIGURATION = `[containers]
default_ulimits = ["nofile=20000:20000","nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
`;

async function openDocker(): Promise<TestEngine | undefined> {
  const own = toEngine('docker', ownEnvironment(), async () => undefined);
  if (own.cli('info').status === 0) return own;
  if (process.getuid?.() !== 0 || !hasDockerDaemon()) return undefined;
  // One that this machine lets not run is as good as none.
  return startDockerDaemon().catch(() => undefined);
}

/** Whether the program is installed; it may still be refused what it needs. */
export const hasDockerDaemon = (): boolean => spawnSync('dockerd', ['--version']).status === 0;

/** A docker daemon of a test's own. */
export interface DockerDaemon extends TestEngine {
  readonly pid: number;
  /** Starts it again on the same files after it was killed. */
  restart(): Promise<void>;
}

export async function startDockerDaemon(): Promise<DockerDaemon> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'carrel-docker-')));
  mkdirSync(join(place, 'data'));
  const environment = { ...ownEnvironment(), DOCKER_HOST: `unix://${join(place, 'socket')}` };
  let daemon = await startDaemon(place, environment);
  const close = async (): Promise<void> => {
    await daemon.end();
    // The daemon mounts its directory over itself, and one that was killed leaves that behind.
    for (const { target } of readMountTable().reverse())
      if (target.startsWith(`${place}/`)) spawnSync('umount', [target]);
    rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  return {
    ...toEngine('docker', environment, close),
    get pid() {
      return daemon.pid;
    },
    restart: async () => {
      // A new daemon takes one that is about to die for its own, and waits for it in vain.
      const helper = Number(readFileSync(join(place, 'run/containerd/containerd.pid'), 'utf8'));
      await waitFor("the end of the daemon's own daemon", () =>
        existsSync(`/proc/${helper}`) ? undefined : true,
      );
      daemon = await startDaemon(place, environment);
    },
  };
}

/** Not a child of the test's process, which may not leave any; it ends when the pipe to that process closes. */
async function startDaemon(place: string, environment: Readonly<Record<string, string>>) {
  const pidFile = join(place, 'pid');
  const log = join(place, 'log');
  rmSync(pidFile, { force: true });
  const words = ['--data-root', join(place, 'data'), '--exec-root', join(place, 'run'), '--pidfile', pidFile];
  const flags = ['-H', environment.DOCKER_HOST as string, '--iptables=false', '--bridge=none'];
  const script = `(dockerd "$@" >${log} 2>&1 & pid=$!; read -r end <&3; kill $pid; wait $pid) &`;
  // The fourth, because Node closes its end of the first when the starter has ended.
  const starter = spawn('sh', ['-c', script, 'sh', ...words, ...flags], {
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    detached: true,
  });
  const line = starter.stdio[3] as Writable;
  const ended = new Promise(resolve => starter.stdout?.once('close', resolve));
  const answers = () => spawnSync('docker', ['info'], { env: environment }).status === 0;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const look = (): true | undefined => {
    if (isOver) throw new Error('the docker daemon has ended');
    return answers() || undefined;
  };
  await waitFor('the docker daemon', look, 60_000).catch(error => {
    line.end();
    throw new Error(`${error}\n${readFileSync(log, 'utf8')}`);
  });
  const pid = Number(readFileSync(pidFile, 'utf8'));
  return {
    pid,
    end: async () => {
      line.end();
      await ended;
    },
  };
}

function toEngine(
  name: EngineName,
  environment: Readonly<Record<string, string>>,
  close: () => Promise<void>,
): TestEngine {
  return {
    name,
    environment,
    cli: (...args) => spawnSync(name, args, { env: environment, encoding: 'utf8' }),
    close,
  };
}

function ownEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'XDG_RUNTIME_DIR', 'CONTAINERS_CONF', 'DOCKER_HOST'];
  return Object.fromEntries(names.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : [])));
}
